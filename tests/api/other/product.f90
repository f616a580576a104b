! A product of sections, with a bias, and a refusal; says "right" or stops with 1.
program product
    use, intrinsic :: iso_c_binding
    use carat
    implicit none
    real(c_double), target :: a(6, 4), b(4, 5), c(3, 5), bias(5)
    real(c_float), target :: x(2, 2), y(2, 2)
    type(carat_step), target :: steps(1)
    type(carat_options) :: options
    integer :: i
    a = reshape([(real(i, c_double), i=1, 24)], [6, 4])
    b = reshape([(real(mod(i, 7), c_double), i=1, 20)], [4, 5])
    bias = [(10.0_c_double * i, i=1, 5)]
    steps(1)%kind = carat_bias
    steps(1)%values = c_loc(bias)
    steps(1)%count = size(bias)
    options%alpha = 2
    options%steps = c_loc(steps)
    options%step_count = 1
    if (carat_matmul(carat_view(a(1:6:2, :)), carat_view(b), carat_view(c), options) /= carat_ok) &
        error stop "refused"
    if (any(abs(c - 2 * matmul(a(1:6:2, :), b) - spread(bias, 1, 3)) > 1e-10)) error stop "wrong"
    x = reshape([1.0, 2.0, 3.0, 4.0], [2, 2])
    if (carat_matmul(carat_view(x), carat_view(x), carat_view(y)) /= carat_ok) error stop "refused"
    if (any(y /= matmul(x, x))) error stop "wrong"
    if (carat_matmul(carat_view(a), carat_view(a), carat_view(c)) /= carat_size_mismatch) &
        error stop "taken"
    if (index(carat_error(), "columns") == 0) error stop "no reason"
    print "(a)", "right"
end program
