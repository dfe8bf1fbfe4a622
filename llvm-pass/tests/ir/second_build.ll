;@ stage: probe
; Two builds of what the root comes to: direct calls between clones, pointers searched, data and what has no probe once.

@counter = internal global i64 0
@table = internal constant [2 x ptr] [ptr @_ZN4mine6looped17h0a3b1c2d4e5f6071E, ptr @_ZN4mine5plain17h0a3b1c2d4e5f6071E]

declare ptr @concord_second(ptr)

define ptr @_ZN7concord7service4find17h0a3b1c2d4e5f6071E() {
  %clone = call ptr @concord_second(ptr @_ZN4mine4root17h0a3b1c2d4e5f6071E)
  ret ptr %clone
}

define void @_ZN4mine4root17h0a3b1c2d4e5f6071E(ptr %at, i64 %which) #0 {
entry:
  store i64 1, ptr @counter
  call void @_ZN4mine6looped17h0a3b1c2d4e5f6071E(ptr %at)
  call void @_ZN4mine5plain17h0a3b1c2d4e5f6071E(ptr %at)
  %slot = getelementptr ptr, ptr @table, i64 %which
  %target = load ptr, ptr %slot
  call void %target(ptr %at)
  ret void
}

define internal void @_ZN4mine6looped17h0a3b1c2d4e5f6071E(ptr %at) #0 {
entry:
  br label %loop
loop:
  %value = load volatile i64, ptr %at
  %done = icmp eq i64 %value, 0
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define internal void @_ZN4mine5plain17h0a3b1c2d4e5f6071E(ptr %at) #0 {
  store i64 2, ptr %at
  ret void
}

define void @_ZN4mine9elsewhere17h0a3b1c2d4e5f6071E(ptr %at) #0 {
  call void @_ZN4mine6looped17h0a3b1c2d4e5f6071E(ptr %at)
  ret void
}

attributes #0 = { "concord-probed" }

;= @counter = internal global i64 0
;= @table = internal constant [2 x ptr] [ptr @_ZN4mine6looped17h0a3b1c2d4e5f6071E, ptr @_ZN4mine5plain17h0a3b1c2d4e5f6071E]
;= @concord_line = external hidden thread_local(localexec) global [32 x i32]
;= @concord_countdown = external hidden thread_local(localexec) global [32 x i32]
;=
;= define ptr @_ZN7concord7service4find17h0a3b1c2d4e5f6071E() {
;=   ret ptr @_ZN4mine4root17h0a3b1c2d4e5f6071E.dispatcher
;= }
;=
;= define void @_ZN4mine4root17h0a3b1c2d4e5f6071E(ptr %at, i64 %which) #0 align 64 prefix [4 x i64] [i64 0, i64 0, i64 -1025872107327496512, i64 sub (i64 ptrtoint (ptr @_ZN4mine4root17h0a3b1c2d4e5f6071E.dispatcher to i64), i64 ptrtoint (ptr @_ZN4mine4root17h0a3b1c2d4e5f6071E to i64))] {
;= entry:
;=   store i64 1, ptr @counter, align 4
;=   call void @_ZN4mine6looped17h0a3b1c2d4e5f6071E(ptr %at)
;=   call void @_ZN4mine5plain17h0a3b1c2d4e5f6071E(ptr %at)
;=   %slot = getelementptr ptr, ptr @table, i64 %which
;=   %target = load ptr, ptr %slot, align 8
;=   call void %target(ptr %at)
;=   ret void
;= }
;=
;= define internal void @_ZN4mine6looped17h0a3b1c2d4e5f6071E(ptr %at) #0 align 64 prefix [4 x i64] [i64 0, i64 0, i64 -1025872107327496512, i64 sub (i64 ptrtoint (ptr @_ZN4mine6looped17h0a3b1c2d4e5f6071E.dispatcher to i64), i64 ptrtoint (ptr @_ZN4mine6looped17h0a3b1c2d4e5f6071E to i64))] {
;= entry:
;=   br label %loop
;=
;= loop:
;=   %value = load volatile i64, ptr %at, align 4
;=   %done = icmp eq i64 %value, 0
;=   br i1 %done, label %exit, label %loop.1, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.1:
;=   %value.1 = load volatile i64, ptr %at, align 4
;=   %done.1 = icmp eq i64 %value.1, 0
;=   br i1 %done.1, label %exit, label %loop.2, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.2:
;=   %value.2 = load volatile i64, ptr %at, align 4
;=   %done.2 = icmp eq i64 %value.2, 0
;=   br i1 %done.2, label %exit, label %loop.3, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.3:
;=   %value.3 = load volatile i64, ptr %at, align 4
;=   %done.3 = icmp eq i64 %value.3, 0
;=   br i1 %done.3, label %exit, label %loop.4, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.4:
;=   %value.4 = load volatile i64, ptr %at, align 4
;=   %done.4 = icmp eq i64 %value.4, 0
;=   br i1 %done.4, label %exit, label %loop.5, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.5:
;=   %value.5 = load volatile i64, ptr %at, align 4
;=   %done.5 = icmp eq i64 %value.5, 0
;=   br i1 %done.5, label %exit, label %loop.6, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.6:
;=   %value.6 = load volatile i64, ptr %at, align 4
;=   %done.6 = icmp eq i64 %value.6, 0
;=   br i1 %done.6, label %exit, label %loop.7, !llvm.loop !0, !concord.unrolled !2
;=
;= loop.7:
;=   %line.i = load volatile i32, ptr @concord_line, align 4
;=   %armed.i = icmp ne i32 %line.i, 0
;=   br i1 %armed.i, label %0, label %concord_probe.exit, !prof !3
;=
;= 0:
;=   call preserve_mostcc void @concord_probe_slow()
;=   br label %concord_probe.exit
;=
;= concord_probe.exit:
;=   %value.7 = load volatile i64, ptr %at, align 4
;=   %done.7 = icmp eq i64 %value.7, 0
;=   br i1 %done.7, label %exit, label %loop, !llvm.loop !4, !concord.unrolled !2
;=
;= exit:
;=   ret void
;= }
;=
;= define internal void @_ZN4mine5plain17h0a3b1c2d4e5f6071E(ptr %at) #0 {
;=   store i64 2, ptr %at, align 4
;=   ret void
;= }
;=
;= define void @_ZN4mine9elsewhere17h0a3b1c2d4e5f6071E(ptr %at) #0 {
;=   call void @_ZN4mine6looped17h0a3b1c2d4e5f6071E(ptr %at)
;=   ret void
;= }
;=
;= define internal void @_ZN4mine4root17h0a3b1c2d4e5f6071E.dispatcher(ptr %0, i64 %1) #0 {
;=   store i64 1, ptr @counter, align 4
;=   call void @_ZN4mine6looped17h0a3b1c2d4e5f6071E.dispatcher(ptr %0)
;=   call void @_ZN4mine5plain17h0a3b1c2d4e5f6071E(ptr %0)
;=   %3 = getelementptr ptr, ptr @table, i64 %1
;=   %4 = load ptr, ptr %3, align 8
;=   %5 = ptrtoint ptr %4 to i64
;=   %6 = and i64 %5, 4080
;=   %7 = icmp eq i64 %6, 0
;=   br i1 %7, label %15, label %8, !prof !3
;=
;= 8:
;=   %9 = getelementptr i8, ptr %4, i64 -16
;=   %10 = load i32, ptr %9, align 4
;=   %ours.i = icmp eq i32 %10, -238854464
;=   br i1 %ours.i, label %11, label %15
;=
;= 11:
;=   %12 = getelementptr i8, ptr %4, i64 -8
;=   %13 = load i64, ptr %12, align 4
;=   %14 = getelementptr i8, ptr %4, i64 %13
;=   br label %concord_search.exit
;=
;= 15:
;=   br label %concord_search.exit
;=
;= concord_search.exit:
;=   %16 = phi ptr [ %14, %11 ], [ %4, %15 ]
;=   call void %16(ptr %0)
;=   ret void
;= }
;=
;= define internal void @_ZN4mine6looped17h0a3b1c2d4e5f6071E.dispatcher(ptr %0) #0 {
;=   br label %2
;=
;= 2:
;=   %3 = load volatile i64, ptr %0, align 4
;=   %4 = icmp eq i64 %3, 0
;=   br i1 %4, label %28, label %5, !llvm.loop !0, !concord.unrolled !2
;=
;= 5:
;=   %6 = load volatile i64, ptr %0, align 4
;=   %7 = icmp eq i64 %6, 0
;=   br i1 %7, label %28, label %8, !llvm.loop !0, !concord.unrolled !2
;=
;= 8:
;=   %9 = load volatile i64, ptr %0, align 4
;=   %10 = icmp eq i64 %9, 0
;=   br i1 %10, label %28, label %11, !llvm.loop !0, !concord.unrolled !2
;=
;= 11:
;=   %12 = load volatile i64, ptr %0, align 4
;=   %13 = icmp eq i64 %12, 0
;=   br i1 %13, label %28, label %14, !llvm.loop !0, !concord.unrolled !2
;=
;= 14:
;=   %15 = load volatile i64, ptr %0, align 4
;=   %16 = icmp eq i64 %15, 0
;=   br i1 %16, label %28, label %17, !llvm.loop !0, !concord.unrolled !2
;=
;= 17:
;=   %18 = load volatile i64, ptr %0, align 4
;=   %19 = icmp eq i64 %18, 0
;=   br i1 %19, label %28, label %20, !llvm.loop !0, !concord.unrolled !2
;=
;= 20:
;=   %21 = load volatile i64, ptr %0, align 4
;=   %22 = icmp eq i64 %21, 0
;=   br i1 %22, label %28, label %23, !llvm.loop !0, !concord.unrolled !2
;=
;= 23:
;=   %left.i = load i32, ptr @concord_countdown, align 4
;=   %24 = sub i32 %left.i, 2
;=   store i32 %24, ptr @concord_countdown, align 4
;=   %out.i = icmp ult i32 %left.i, 2
;=   br i1 %out.i, label %25, label %concord_counting_probe.exit, !prof !3
;=
;= 25:
;=   call preserve_mostcc void @concord_clock_slow()
;=   br label %concord_counting_probe.exit
;=
;= concord_counting_probe.exit:
;=   %26 = load volatile i64, ptr %0, align 4
;=   %27 = icmp eq i64 %26, 0
;=   br i1 %27, label %28, label %2, !llvm.loop !4, !concord.unrolled !2
;=
;= 28:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = distinct !{!0, !1}
;= !1 = !{!"llvm.loop.unroll.count", i32 8}
;= !2 = !{}
;= !3 = !{!"branch_weights", i32 1, i32 1048576}
;= !4 = distinct !{!4, !5}
;= !5 = !{!"llvm.loop.unroll.disable"}
