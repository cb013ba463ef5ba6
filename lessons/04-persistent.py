import tensorflow as tf

a = tf.Variable(3.0)
b = tf.Variable(2.0)

with tf.GradientTape(persistent=True) as tape:
    d = a * b
    e = d * 2

print(tape.gradient(d, a))
print(tape.gradient(d, b))
print(tape.gradient(e, a))
print(tape.gradient(e, b))
del tape
