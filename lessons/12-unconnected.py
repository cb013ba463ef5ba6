import tensorflow as tf

a = tf.Variable(2.0)
b = tf.Variable(5.0)

with tf.GradientTape() as tape:
    y = a ** 2

zero = tf.UnconnectedGradients.ZERO
print(tape.gradient(y, [a, b], unconnected_gradients=zero))
