/** Who makes a call to the services, as its key and bearer token prove. */
export type Caller =
  | { kind: 'guest' }
  /** The public key and nothing more. */
  | { kind: 'anon' }
  /** The service key: scripts and automations. */
  | { kind: 'service' }
  /** A live session. `role` is null for a person without an admin role. */
  | {
      kind: 'user'
      userId: string
      email: string
      sessionId: string
      role: string | null
      aal: 'aal1' | 'aal2'
      needsSecondFactor: boolean
    }

/** Only these reach the data service and `/admin/api`. */
export function isAdministrator(caller: Caller): boolean {
  if (caller.kind === 'service') return true
  return caller.kind === 'user' && caller.role !== null && !caller.needsSecondFactor
}

/** How the audit trail names the caller. */
export function auditActor(caller: Caller): { actor_id: string | null; actor: string } {
  if (caller.kind === 'user') return { actor_id: caller.userId, actor: caller.email }
  return { actor_id: null, actor: caller.kind === 'service' ? 'service key' : 'guest' }
}
