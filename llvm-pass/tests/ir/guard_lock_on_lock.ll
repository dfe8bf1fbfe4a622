;@ stage: guard
; Locks built on locks count once. What the inner bitcode lock did is undone, reached directly or through a helper;
; an inner native lock is not marked.

declare i32 @pthread_mutex_lock(ptr)

define void @"_ZN87_$LT$parking_lot..raw_fair_mutex..RawFairMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw) {
  call void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw)
  call void @_ZN4mine5Inner9lock_slow17h0a3b1c2d4e5f6071E(ptr %raw)
  ret void
}

define void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw) {
  %status = call i32 @pthread_mutex_lock(ptr %raw)
  ret void
}

define void @_ZN4mine5Inner9lock_slow17h0a3b1c2d4e5f6071E(ptr %raw) {
  call void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw)
  ret void
}

;= define void @"_ZN87_$LT$parking_lot..raw_fair_mutex..RawFairMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw) {
;=   call void @concord_guard_enter()
;=   %1 = call i32 @concord_guard_save()
;=   call void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw)
;=   call void @concord_guard_restore(i32 %1)
;=   %2 = call i32 @concord_guard_save()
;=   call void @_ZN4mine5Inner9lock_slow17h0a3b1c2d4e5f6071E(ptr %raw)
;=   call void @concord_guard_restore(i32 %2)
;=   ret void
;= }
;=
;= define void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw) {
;=   call void @concord_guard_enter()
;=   %status = call i32 @pthread_mutex_lock(ptr %raw)
;=   ret void
;= }
;=
;= define void @_ZN4mine5Inner9lock_slow17h0a3b1c2d4e5f6071E(ptr %raw) {
;=   call void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw)
;=   ret void
;= }
