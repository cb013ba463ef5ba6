import numpy as np
import tensorflow as tf

w = tf.Variable(2.0)
x = tf.constant(3.0)

with tf.GradientTape() as tape:
    h = w * x
    a = tf.constant(np.sin(h.numpy()))
    b = tf.cast(h > 5.0, tf.float32)
    c = tf.round(h)
    y = a + b + c

print(tape.gradient(y, [w, x]))
