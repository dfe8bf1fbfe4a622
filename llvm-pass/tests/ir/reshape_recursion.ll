;@ stage: reshape
;@ level: 3
; A small function that calls itself holds eight levels of itself; the call that is left is made when there is need.

define i64 @length(ptr %list) #0 {
entry:
  %empty = icmp eq ptr %list, null
  br i1 %empty, label %end, label %more
more:
  %rest = load ptr, ptr %list
  %others = call i64 @length(ptr %rest)
  %sum = add i64 %others, 1
  ret i64 %sum
end:
  ret i64 0
}

attributes #0 = { "concord-probed" }

;= define i64 @length(ptr %list) #0 {
;= entry:
;=   %empty = icmp eq ptr %list, null
;=   br i1 %empty, label %common.ret, label %more
;=
;= common.ret:
;=   %common.ret.op = phi i64 [ 0, %entry ], [ 1, %more ], [ 2, %1 ], [ 3, %4 ], [ 4, %7 ], [ 5, %10 ], [ 6, %13 ], [ 7, %16 ], [ %24, %22 ], [ 8, %19 ]
;=   ret i64 %common.ret.op
;=
;= more:
;=   %rest = load ptr, ptr %list, align 8
;=   %0 = icmp eq ptr %rest, null
;=   br i1 %0, label %common.ret, label %1
;=
;= 1:
;=   %2 = load ptr, ptr %rest, align 8
;=   %3 = icmp eq ptr %2, null
;=   br i1 %3, label %common.ret, label %4
;=
;= 4:
;=   %5 = load ptr, ptr %2, align 8
;=   %6 = icmp eq ptr %5, null
;=   br i1 %6, label %common.ret, label %7
;=
;= 7:
;=   %8 = load ptr, ptr %5, align 8
;=   %9 = icmp eq ptr %8, null
;=   br i1 %9, label %common.ret, label %10
;=
;= 10:
;=   %11 = load ptr, ptr %8, align 8
;=   %12 = icmp eq ptr %11, null
;=   br i1 %12, label %common.ret, label %13
;=
;= 13:
;=   %14 = load ptr, ptr %11, align 8
;=   %15 = icmp eq ptr %14, null
;=   br i1 %15, label %common.ret, label %16
;=
;= 16:
;=   %17 = load ptr, ptr %14, align 8
;=   %18 = icmp eq ptr %17, null
;=   br i1 %18, label %common.ret, label %19
;=
;= 19:
;=   %20 = load ptr, ptr %17, align 8
;=   %21 = icmp eq ptr %20, null
;=   br i1 %21, label %common.ret, label %22
;=
;= 22:
;=   %23 = call i64 @length(ptr nonnull %20)
;=   %24 = add i64 %23, 8
;=   br label %common.ret
;= }
;=
;= attributes #0 = { "concord-probed" }
