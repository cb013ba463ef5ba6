import tensorflow as tf

x = tf.Variable(3.0)

with tf.GradientTape() as tape:
    y = x ** 2
    with tape.stop_recording():
        scale = tf.sqrt(y)
    z = y / scale

print(tape.gradient(z, x))
