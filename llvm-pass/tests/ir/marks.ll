;@ stage: probe
; The marks of guards become arithmetic on the guard word; its exits look for a preemption that waited.

declare void @concord_guard_enter()
declare void @concord_guard_exit()
declare void @concord_guard_exit_if(i1)
declare i32 @concord_guard_save()
declare void @concord_guard_restore(i32)

define void @enter_and_exit() #0 {
  call void @concord_guard_enter()
  call void @concord_guard_exit()
  ret void
}

define i1 @exit_unless(i1 %taken) {
  call void @concord_guard_enter()
  %failed = xor i1 %taken, true
  call void @concord_guard_exit_if(i1 %failed)
  ret i1 %taken
}

define void @save_and_restore(ptr %body) {
  %depth = call i32 @concord_guard_save()
  call void %body()
  call void @concord_guard_restore(i32 %depth)
  ret void
}

attributes #0 = { "concord-probed" }

;= @concord_guard = external hidden thread_local(localexec) global [32 x i32]
;=
;= define void @enter_and_exit() #0 {
;=   %1 = load i32, ptr @concord_guard, align 4
;=   %2 = add i32 %1, 2
;=   store i32 %2, ptr @concord_guard, align 4
;=   %3 = load i32, ptr @concord_guard, align 4
;=   %4 = sub i32 %3, 2
;=   store i32 %4, ptr @concord_guard, align 4
;=   %due.i = icmp ule i32 %3, 2
;=   br i1 %due.i, label %5, label %concord_guard_exit.exit, !prof !0
;=
;= 5:
;=   call preserve_mostcc void @concord_guard_slow()
;=   br label %concord_guard_exit.exit
;=
;= concord_guard_exit.exit:
;=   ret void
;= }
;=
;= define i1 @exit_unless(i1 %taken) {
;=   %1 = load i32, ptr @concord_guard, align 4
;=   %2 = add i32 %1, 2
;=   store i32 %2, ptr @concord_guard, align 4
;=   %failed = xor i1 %taken, true
;=   br i1 %failed, label %3, label %6
;=
;= 3:
;=   %4 = load i32, ptr @concord_guard, align 4
;=   %5 = sub i32 %4, 2
;=   store i32 %5, ptr @concord_guard, align 4
;=   %due.i = icmp ule i32 %4, 2
;=   br i1 %due.i, label %7, label %8, !prof !0
;=
;= 6:
;=   br label %concord_guard_exit_if.exit
;=
;= 7:
;=   call preserve_mostcc void @concord_guard_slow()
;=   br label %8
;=
;= 8:
;=   br label %concord_guard_exit_if.exit
;=
;= concord_guard_exit_if.exit:
;=   ret i1 %taken
;= }
;=
;= define void @save_and_restore(ptr %body) {
;=   %1 = load i32, ptr @concord_guard, align 4
;=   %2 = and i32 %1, -2
;=   call void %body()
;=   %3 = load i32, ptr @concord_guard, align 4
;=   %4 = and i32 %3, 1
;=   %5 = or i32 %4, %2
;=   store i32 %5, ptr @concord_guard, align 4
;=   %due.i = icmp eq i32 %5, 0
;=   br i1 %due.i, label %6, label %concord_guard_restore.exit, !prof !0
;=
;= 6:
;=   call preserve_mostcc void @concord_guard_slow()
;=   br label %concord_guard_restore.exit
;=
;= concord_guard_restore.exit:
;=   ret void
;= }
;=
;= attributes #0 = { "concord-probed" }
;=
;= !0 = !{!"branch_weights", i32 1, i32 1048576}
