;@ stage: reshape
;@ level: 3
; An invoke of the function by itself unwinds to its own landing pad at each level.

declare i32 @personality(...)
declare void @drop(ptr)

define i64 @visit(ptr %tree) #0 personality ptr @personality {
entry:
  %empty = icmp eq ptr %tree, null
  br i1 %empty, label %end, label %more
more:
  %left = load ptr, ptr %tree
  %sum = invoke i64 @visit(ptr %left) to label %next unwind label %unwind
next:
  ret i64 %sum
unwind:
  %pad = landingpad { ptr, i32 } cleanup
  call void @drop(ptr %tree)
  resume { ptr, i32 } %pad
end:
  ret i64 0
}

attributes #0 = { "concord-probed" }

;= define i64 @visit(ptr %tree) #0 personality ptr @personality {
;= entry:
;=   %empty = icmp eq ptr %tree, null
;=   br i1 %empty, label %common.ret, label %more
;=
;= more:
;=   %left = load ptr, ptr %tree, align 8
;=   %0 = icmp eq ptr %left, null
;=   br i1 %0, label %common.ret, label %1
;=
;= 1:
;=   %2 = load ptr, ptr %left, align 8
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
;=   %23 = invoke i64 @visit(ptr nonnull %20)
;=           to label %common.ret unwind label %24
;=
;= 24:
;=   %25 = landingpad { ptr, i32 }
;=           cleanup
;=   invoke void @drop(ptr nonnull %17)
;=           to label %.body10 unwind label %26
;=
;= 26:
;=   %27 = landingpad { ptr, i32 }
;=           cleanup
;=   br label %.body10
;=
;= .body10:
;=   %eh.lpad-body11 = phi { ptr, i32 } [ %27, %26 ], [ %25, %24 ]
;=   invoke void @drop(ptr nonnull %14)
;=           to label %.body8 unwind label %28
;=
;= 28:
;=   %29 = landingpad { ptr, i32 }
;=           cleanup
;=   br label %.body8
;=
;= .body8:
;=   %eh.lpad-body9 = phi { ptr, i32 } [ %29, %28 ], [ %eh.lpad-body11, %.body10 ]
;=   invoke void @drop(ptr nonnull %11)
;=           to label %.body6 unwind label %30
;=
;= 30:
;=   %31 = landingpad { ptr, i32 }
;=           cleanup
;=   br label %.body6
;=
;= .body6:
;=   %eh.lpad-body7 = phi { ptr, i32 } [ %31, %30 ], [ %eh.lpad-body9, %.body8 ]
;=   invoke void @drop(ptr nonnull %8)
;=           to label %.body4 unwind label %32
;=
;= 32:
;=   %33 = landingpad { ptr, i32 }
;=           cleanup
;=   br label %.body4
;=
;= .body4:
;=   %eh.lpad-body5 = phi { ptr, i32 } [ %33, %32 ], [ %eh.lpad-body7, %.body6 ]
;=   invoke void @drop(ptr nonnull %5)
;=           to label %.body2 unwind label %34
;=
;= 34:
;=   %35 = landingpad { ptr, i32 }
;=           cleanup
;=   br label %.body2
;=
;= .body2:
;=   %eh.lpad-body3 = phi { ptr, i32 } [ %35, %34 ], [ %eh.lpad-body5, %.body4 ]
;=   invoke void @drop(ptr nonnull %2)
;=           to label %.body unwind label %36
;=
;= 36:
;=   %37 = landingpad { ptr, i32 }
;=           cleanup
;=   br label %.body
;=
;= .body:
;=   %eh.lpad-body1 = phi { ptr, i32 } [ %37, %36 ], [ %eh.lpad-body3, %.body2 ]
;=   invoke void @drop(ptr nonnull %left)
;=           to label %unwind.body unwind label %unwind
;=
;= common.ret:
;=   %common.ret.op = phi i64 [ 0, %entry ], [ 0, %more ], [ 0, %1 ], [ 0, %4 ], [ 0, %7 ], [ 0, %10 ], [ 0, %13 ], [ 0, %16 ], [ 0, %19 ], [ %23, %22 ]
;=   ret i64 %common.ret.op
;=
;= unwind:
;=   %pad = landingpad { ptr, i32 }
;=           cleanup
;=   br label %unwind.body
;=
;= unwind.body:
;=   %eh.lpad-body = phi { ptr, i32 } [ %pad, %unwind ], [ %eh.lpad-body1, %.body ]
;=   call void @drop(ptr nonnull %tree)
;=   resume { ptr, i32 } %eh.lpad-body
;= }
;=
;= attributes #0 = { "concord-probed" }
