! carat from Fortran, over carat.h: compile this file with the program and link it with -lcarat.
!
!   use carat
!   real(c_double), target :: a(m, k), b(k, n), c(m, n)
!   status = carat_matmul(a=carat_view(a), b=carat_view(b), c=carat_view(c))
!   if (status /= carat_ok) print *, carat_error()
!
! Arrays may be sections of others with any strides; they need `target`, or a copy may be multiplied.
module carat
    use, intrinsic :: iso_c_binding
    implicit none
    private

    integer(c_int), parameter, public :: carat_f64 = 0, carat_f32 = 1, carat_i32 = 6, carat_i8 = 7
    integer(c_int), parameter, public :: carat_ok = 0, carat_invalid_argument = 1, &
        carat_size_mismatch = 2, carat_aliasing = 3, carat_overflow = 4, carat_out_of_memory = 5, &
        carat_unsupported = 6, carat_device_failed = 7
    integer(c_int), parameter, public :: carat_bias = 0, carat_scale = 1, carat_scale_all = 2, &
        carat_relu = 3, carat_gelu = 4, carat_silu = 5
    integer(c_int), parameter, public :: carat_by_row = 0, carat_by_column = 1

    type, bind(c), public :: carat_matrix
        type(c_ptr) :: data = c_null_ptr
        integer(c_size_t) :: rows = 0, cols = 0
        integer(c_ptrdiff_t) :: row_stride = 1, col_stride = 0
        integer(c_int) :: type = carat_f64
    end type

    type, bind(c), public :: carat_step
        integer(c_int) :: kind = carat_relu
        integer(c_int) :: by = carat_by_column
        type(c_ptr) :: values = c_null_ptr
        integer(c_size_t) :: count = 0
        real(c_double) :: number = 1
    end type

    ! Defaults as in CARAT_OPTIONS_INIT; carat_matmul sets struct_size.
    type, bind(c), public :: carat_options
        integer(c_size_t) :: struct_size = 0
        real(c_double) :: alpha = 1, beta = 0
        integer(c_int) :: threads = 0, on_gpu = 0, device = -1
        type(c_ptr) :: stream = c_null_ptr
        type(c_ptr) :: steps = c_null_ptr
        integer(c_size_t) :: step_count = 0
    end type

    ! The program's own threads and memory, see carat_set_parallel and carat_set_allocator in
    ! carat.h. A program passes procedures with bind(c); an absent one means carat's.
    abstract interface
        ! One piece of the work; c_f_procpointer converts `run` of carat_parallel to it.
        subroutine carat_run_piece(work, piece, thread) bind(c)
            import :: c_int, c_ptr
            type(c_ptr), value :: work
            integer(c_int), value :: piece, thread
        end subroutine
        subroutine carat_parallel(context, pieces, threads, run, work) bind(c)
            import :: c_funptr, c_int, c_ptr
            type(c_ptr), value :: context, work
            integer(c_int), value :: pieces, threads
            type(c_funptr), value :: run
        end subroutine
        function carat_allocate(context, size_bytes, alignment) bind(c) result(memory)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: context
            integer(c_size_t), value :: size_bytes, alignment
            type(c_ptr) :: memory
        end function
        subroutine carat_release(context, memory, size_bytes, alignment) bind(c)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: context, memory
            integer(c_size_t), value :: size_bytes, alignment
        end subroutine
    end interface

    interface carat_view
        module procedure view_f64, view_f32, view_i32, view_i8
    end interface

    interface
        function matmul_in_c(options, a, b, c) bind(c, name="carat_matmul") result(status)
            import :: c_int, carat_matrix, carat_options
            type(carat_options), intent(in) :: options
            type(carat_matrix), intent(in) :: a, b, c
            integer(c_int) :: status
        end function
        subroutine set_parallel_in_c(parallel, context) bind(c, name="carat_set_parallel")
            import :: c_funptr, c_ptr
            type(c_funptr), value :: parallel
            type(c_ptr), value :: context
        end subroutine
        function set_allocator_in_c(take, release, context) bind(c, name="carat_set_allocator") &
            result(status)
            import :: c_funptr, c_int, c_ptr
            type(c_funptr), value :: take, release
            type(c_ptr), value :: context
            integer(c_int) :: status
        end function
        function message_in_c() bind(c, name="carat_message") result(text)
            import :: c_ptr
            type(c_ptr) :: text
        end function
        function length_in_c(text) bind(c, name="strlen") result(length)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
    end interface

    public :: carat_view, carat_matmul, carat_error, carat_set_parallel, carat_set_allocator
    public :: carat_run_piece, carat_parallel, carat_allocate, carat_release

contains

    ! C = epilogue(alpha A B) + beta C.
    function carat_matmul(a, b, c, options) result(status)
        type(carat_matrix), intent(in) :: a, b, c
        type(carat_options), intent(in), optional :: options
        integer(c_int) :: status
        type(carat_options) :: all
        if (present(options)) all = options
        all%struct_size = c_sizeof(all)
        status = matmul_in_c(all, a, b, c)
    end function

    ! Why the last call of this thread failed.
    function carat_error() result(text)
        character(:), allocatable :: text
        character(kind=c_char), pointer :: letters(:)
        type(c_ptr) :: at
        integer :: i
        at = message_in_c()
        call c_f_pointer(at, letters, [length_in_c(at)])
        allocate (character(size(letters)) :: text)
        do i = 1, size(letters)
            text(i:i) = letters(i)
        end do
    end function

    ! `call carat_set_parallel()` restores carat's threads.
    subroutine carat_set_parallel(parallel, context)
        procedure(carat_parallel), optional :: parallel
        type(c_ptr), intent(in), optional :: context
        type(c_funptr) :: given
        given = c_null_funptr
        if (present(parallel)) given = c_funloc(parallel)
        call set_parallel_in_c(given, or_null(context))
    end subroutine

    ! `carat_set_allocator()` restores carat's memory.
    function carat_set_allocator(take, release, context) result(status)
        procedure(carat_allocate), optional :: take
        procedure(carat_release), optional :: release
        type(c_ptr), intent(in), optional :: context
        integer(c_int) :: status
        type(c_funptr) :: takes, releases
        takes = c_null_funptr
        releases = c_null_funptr
        if (present(take)) takes = c_funloc(take)
        if (present(release)) releases = c_funloc(release)
        status = set_allocator_in_c(takes, releases, or_null(context))
    end function

    pure function or_null(context) result(given)
        type(c_ptr), intent(in), optional :: context
        type(c_ptr) :: given
        given = c_null_ptr
        if (present(context)) given = context
    end function

    ! A view from the addresses of the elements at (1, 1), (2, 1) and (1, 2).
    pure function view_of(first, below, right, rows, cols, bytes, type) result(view)
        integer(c_intptr_t), intent(in) :: first, below, right
        integer, intent(in) :: rows, cols, bytes
        integer(c_int), intent(in) :: type
        type(carat_matrix) :: view
        view%rows = rows
        view%cols = cols
        view%type = type
        view%row_stride = 1
        view%col_stride = max(rows, 1)
        if (rows > 1) view%row_stride = (below - first) / bytes
        if (cols > 1) view%col_stride = (right - first) / bytes
    end function

    function view_f64(x) result(view)
        real(c_double), intent(in), target :: x(:, :)
        type(carat_matrix) :: view
        integer :: row, col
        row = min(2, size(x, 1))
        col = min(2, size(x, 2))
        if (size(x) == 0) then
            view = carat_matrix(c_null_ptr, size(x, 1), size(x, 2), 1, max(1, size(x, 1)), carat_f64)
            return
        end if
        view = view_of(address(c_loc(x(1, 1))), address(c_loc(x(row, 1))), &
            address(c_loc(x(1, col))), size(x, 1), size(x, 2), 8, carat_f64)
        view%data = c_loc(x(1, 1))
    end function

    function view_f32(x) result(view)
        real(c_float), intent(in), target :: x(:, :)
        type(carat_matrix) :: view
        integer :: row, col
        row = min(2, size(x, 1))
        col = min(2, size(x, 2))
        if (size(x) == 0) then
            view = carat_matrix(c_null_ptr, size(x, 1), size(x, 2), 1, max(1, size(x, 1)), carat_f32)
            return
        end if
        view = view_of(address(c_loc(x(1, 1))), address(c_loc(x(row, 1))), &
            address(c_loc(x(1, col))), size(x, 1), size(x, 2), 4, carat_f32)
        view%data = c_loc(x(1, 1))
    end function

    function view_i32(x) result(view)
        integer(c_int32_t), intent(in), target :: x(:, :)
        type(carat_matrix) :: view
        integer :: row, col
        row = min(2, size(x, 1))
        col = min(2, size(x, 2))
        if (size(x) == 0) then
            view = carat_matrix(c_null_ptr, size(x, 1), size(x, 2), 1, max(1, size(x, 1)), carat_i32)
            return
        end if
        view = view_of(address(c_loc(x(1, 1))), address(c_loc(x(row, 1))), &
            address(c_loc(x(1, col))), size(x, 1), size(x, 2), 4, carat_i32)
        view%data = c_loc(x(1, 1))
    end function

    function view_i8(x) result(view)
        integer(c_int8_t), intent(in), target :: x(:, :)
        type(carat_matrix) :: view
        integer :: row, col
        row = min(2, size(x, 1))
        col = min(2, size(x, 2))
        if (size(x) == 0) then
            view = carat_matrix(c_null_ptr, size(x, 1), size(x, 2), 1, max(1, size(x, 1)), carat_i8)
            return
        end if
        view = view_of(address(c_loc(x(1, 1))), address(c_loc(x(row, 1))), &
            address(c_loc(x(1, col))), size(x, 1), size(x, 2), 1, carat_i8)
        view%data = c_loc(x(1, 1))
    end function

    pure function address(of) result(number)
        type(c_ptr), intent(in) :: of
        integer(c_intptr_t) :: number
        number = transfer(of, number)
    end function

end module
