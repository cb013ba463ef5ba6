import tensorflow as tf

x = tf.Variable(-1.5)

def leaky(value):
    if value > 0:
        return value
    return 0.1 * value

with tf.GradientTape() as tape:
    y = leaky(x) ** 2
    for _ in range(2):
        y = y + leaky(y)

print(tape.gradient(y, x))
