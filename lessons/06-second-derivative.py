import tensorflow as tf

x = tf.Variable(2.0)

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = x ** 3
    dy_dx = inner.gradient(y, x)

d2y_dx2 = outer.gradient(dy_dx, x)

print("first derivative", dy_dx.numpy())
print("second derivative", d2y_dx2.numpy())
