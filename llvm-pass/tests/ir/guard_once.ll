;@ stage: guard
; `Once`, `OnceLock` and `LazyLock` initialise through one native function: its calls are regions. `is_completed` is inline.

declare void @_RNvMs0_NtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync4once5futexNtB5_4Once4call(ptr, i1, ptr, ptr)

define ptr @"_ZN87_$LT$std..sync..lazy_lock..LazyLock$LT$T$C$F$GT$$u20$as$u20$core..ops..deref..Deref$GT$5deref17h0a3b1c2d4e5f6071E"(ptr %lazy, ptr %initialise) {
  %state = load atomic i32, ptr %lazy acquire, align 4
  %ready = icmp eq i32 %state, 3
  br i1 %ready, label %done, label %first
first:
  call void @_RNvMs0_NtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync4once5futexNtB5_4Once4call(ptr %lazy, i1 true, ptr %initialise, ptr null)
  br label %done
done:
  ret ptr %lazy
}

;= define ptr @"_ZN87_$LT$std..sync..lazy_lock..LazyLock$LT$T$C$F$GT$$u20$as$u20$core..ops..deref..Deref$GT$5deref17h0a3b1c2d4e5f6071E"(ptr %lazy, ptr %initialise) {
;=   %state = load atomic i32, ptr %lazy acquire, align 4
;=   %ready = icmp eq i32 %state, 3
;=   br i1 %ready, label %done, label %first
;=
;= first:
;=   call void @concord_guard_enter()
;=   call void @_RNvMs0_NtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync4once5futexNtB5_4Once4call(ptr %lazy, i1 true, ptr %initialise, ptr null)
;=   call void @concord_guard_exit()
;=   br label %done
;=
;= done:
;=   ret ptr %lazy
;= }
