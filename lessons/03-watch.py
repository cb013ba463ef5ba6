import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])

with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.reduce_sum(tf.square(x))

print(tape.gradient(y, x))
