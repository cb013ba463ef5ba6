import tensorflow as tf

x = tf.constant(3.0)

with tf.GradientTape() as tape:
    tape.watch(x)
    y = x ** 3

print(tape.gradient(y, x))

try:
    print(tape.gradient(y, x))
except RuntimeError as error:
    print(error)
