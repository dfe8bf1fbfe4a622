;@ stage: guard
; std's downgrade makes a reader's guard while the writer's is forgotten: the depth stays.

define void @"_ZN3std4sync6poison6rwlock25RwLockWriteGuard$LT$T$GT$9downgrade17h0a3b1c2d4e5f6071E"(ptr %lock) {
  call void @"_ZN3std4sync6poison6rwlock24RwLockReadGuard$LT$T$GT$3new17h0a3b1c2d4e5f6071E"(ptr %lock)
  ret void
}

define void @"_ZN3std4sync6poison6rwlock24RwLockReadGuard$LT$T$GT$3new17h0a3b1c2d4e5f6071E"(ptr %lock) {
  call void @"_ZN3std4sync6poison6rwlock24RwLockReadGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17h0a3b1c2d4e5f6071E"(ptr %lock)
  ret void
}

define void @"_ZN3std4sync6poison6rwlock24RwLockReadGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17h0a3b1c2d4e5f6071E"(ptr %lock) {
  ret void
}

;= define void @"_ZN3std4sync6poison6rwlock25RwLockWriteGuard$LT$T$GT$9downgrade17h0a3b1c2d4e5f6071E"(ptr %lock) {
;=   %1 = call i32 @concord_guard_save()
;=   call void @"_ZN3std4sync6poison6rwlock24RwLockReadGuard$LT$T$GT$3new17h0a3b1c2d4e5f6071E"(ptr %lock)
;=   call void @concord_guard_restore(i32 %1)
;=   ret void
;= }
;=
;= define void @"_ZN3std4sync6poison6rwlock24RwLockReadGuard$LT$T$GT$3new17h0a3b1c2d4e5f6071E"(ptr %lock) {
;=   call void @"_ZN3std4sync6poison6rwlock24RwLockReadGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17h0a3b1c2d4e5f6071E"(ptr %lock)
;=   ret void
;= }
;=
;= define void @"_ZN3std4sync6poison6rwlock24RwLockReadGuard$LT$T$GT$3new28_$u7b$$u7b$closure$u7d$$u7d$17h0a3b1c2d4e5f6071E"(ptr %lock) {
;=   call void @concord_guard_enter()
;=   ret void
;= }
