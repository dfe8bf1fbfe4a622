;@ stage: guard
; Any implementation of lock_api's raw locks: `lock` begins a guard, `try_lock` when it says so, `unlock` ends it. The
; call of a raw lock that this link has as bitcode is left alone: its body is marked.

define void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw) {
  store atomic i8 1, ptr %raw release, align 1
  ret void
}

define i1 @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$8try_lock17h0a3b1c2d4e5f6071E"(ptr %raw) {
  %old = cmpxchg ptr %raw, i8 0, i8 1 acquire monotonic
  %taken = extractvalue { i8, i1 } %old, 1
  ret i1 %taken
}

define void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$6unlock17h0a3b1c2d4e5f6071E"(ptr %raw) {
  ret void
}

define i1 @"_ZN72_$LT$dashmap..lock..RawRwLock$u20$as$u20$lock_api..rwlock..RawRwLock$GT$15try_lock_shared17h0a3b1c2d4e5f6071E"(ptr %raw) {
  ret i1 true
}

define void @"_ZN8lock_api5mutex18Mutex$LT$R$C$T$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %mutex) {
  call void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %mutex)
  ret void
}

;= define void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %raw) {
;=   call void @concord_guard_enter()
;=   store atomic i8 1, ptr %raw release, align 1
;=   ret void
;= }
;=
;= define i1 @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$8try_lock17h0a3b1c2d4e5f6071E"(ptr %raw) {
;=   call void @concord_guard_enter()
;=   %old = cmpxchg ptr %raw, i8 0, i8 1 acquire monotonic, align 1
;=   %taken = extractvalue { i8, i1 } %old, 1
;=   %1 = icmp eq i1 %taken, false
;=   call void @concord_guard_exit_if(i1 %1)
;=   ret i1 %taken
;= }
;=
;= define void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$6unlock17h0a3b1c2d4e5f6071E"(ptr %raw) {
;=   call void @concord_guard_exit()
;=   ret void
;= }
;=
;= define i1 @"_ZN72_$LT$dashmap..lock..RawRwLock$u20$as$u20$lock_api..rwlock..RawRwLock$GT$15try_lock_shared17h0a3b1c2d4e5f6071E"(ptr %raw) {
;=   call void @concord_guard_enter()
;=   call void @concord_guard_exit_if(i1 false)
;=   ret i1 true
;= }
;=
;= define void @"_ZN8lock_api5mutex18Mutex$LT$R$C$T$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %mutex) {
;=   call void @"_ZN78_$LT$parking_lot..raw_mutex..RawMutex$u20$as$u20$lock_api..mutex..RawMutex$GT$4lock17h0a3b1c2d4e5f6071E"(ptr %mutex)
;=   ret void
;= }
