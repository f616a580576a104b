! Threads and memory of the program's own; says "right" or stops with 1.
module pools
    use, intrinsic :: iso_c_binding
    use carat
    implicit none

    type, bind(c) :: counts
        integer(c_int) :: calls = 0, pieces = 0, threads = 0
        integer(c_size_t) :: taken = 0, released = 0
    end type

    interface
        function aligned_alloc(alignment, size_bytes) bind(c) result(memory)
            import :: c_ptr, c_size_t
            integer(c_size_t), value :: alignment, size_bytes
            type(c_ptr) :: memory
        end function
        subroutine free(memory) bind(c)
            import :: c_ptr
            type(c_ptr), value :: memory
        end subroutine
    end interface

contains

    ! The last piece first.
    subroutine run_backwards(context, pieces, threads, run, work) bind(c)
        type(c_ptr), value :: context, work
        integer(c_int), value :: pieces, threads
        type(c_funptr), value :: run
        type(counts), pointer :: seen
        procedure(carat_run_piece), pointer :: run_piece
        integer(c_int) :: piece
        call c_f_pointer(context, seen)
        call c_f_procpointer(run, run_piece)
        seen%calls = seen%calls + 1
        seen%pieces = seen%pieces + pieces
        seen%threads = threads
        do piece = pieces - 1, 0, -1
            call run_piece(work, piece, mod(piece, threads))
        end do
    end subroutine

    function take(context, size_bytes, alignment) bind(c) result(memory)
        type(c_ptr), value :: context
        integer(c_size_t), value :: size_bytes, alignment
        type(c_ptr) :: memory
        type(counts), pointer :: seen
        call c_f_pointer(context, seen)
        seen%taken = seen%taken + size_bytes
        memory = aligned_alloc(alignment, (size_bytes + alignment - 1) / alignment * alignment)
    end function

    subroutine release(context, memory, size_bytes, alignment) bind(c)
        type(c_ptr), value :: context, memory
        integer(c_size_t), value :: size_bytes, alignment
        type(counts), pointer :: seen
        call c_f_pointer(context, seen)
        if (mod(transfer(memory, alignment), alignment) /= 0) error stop "not aligned"
        seen%released = seen%released + size_bytes
        call free(memory)
    end subroutine

end module

program hooks
    use pools
    implicit none
    integer, parameter :: order = 700
    real(c_double), target :: a(order, order), b(order, order), c(order, order)
    type(counts), target, save :: pool, memory ! `memory` is given back at the very end
    type(carat_options) :: options
    integer :: i
    a = reshape([(real(mod(i, 7) - 3, c_double), i=1, size(a))], shape(a))
    b = reshape([(real(mod(i, 5) - 2, c_double), i=1, size(b))], shape(b))

    if (carat_set_allocator(take) /= carat_invalid_argument) error stop "half an allocator taken"
    if (carat_set_allocator(take, release, c_loc(memory)) /= carat_ok) error stop "no allocator"
    options%threads = 3
    call carat_set_parallel(run_backwards, c_loc(pool))
    if (multiplied() /= carat_ok) error stop "refused"
    if (any(c /= matmul(a, b))) error stop "wrong"
    if (pool%calls == 0 .or. pool%pieces <= pool%calls .or. pool%threads /= 3) error stop "other threads"
    if (memory%taken == 0) error stop "other memory"

    call carat_set_parallel()
    if (carat_set_allocator() /= carat_ok) error stop "no way back"
    pool%calls = 0
    memory%taken = 0
    if (multiplied() /= carat_ok) error stop "refused"
    if (any(c /= matmul(a, b)) .or. pool%calls /= 0 .or. memory%taken /= 0) &
        error stop "hooks that are gone"
    print "(a)", "right"

contains

    integer function multiplied()
        c = 100
        multiplied = carat_matmul(carat_view(a), carat_view(b), carat_view(c), options)
    end function

end program
