import tensorflow as tf

x = tf.Variable([1.0, 2.0, 3.0])

with tf.GradientTape() as tape:
    y = x ** 2 + x[0]

print(tape.jacobian(y, x))
