import tensorflow as tf

x = tf.constant(2.0)
y = tf.constant(3.0)

with tf.GradientTape() as t1, tf.GradientTape() as t2:
    t1.watch(x)
    t2.watch(y)
    z = tf.multiply(x, y)

print(t1.gradient(z, x))
print(t2.gradient(z, y))
