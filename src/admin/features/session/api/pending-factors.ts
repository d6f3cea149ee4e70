import type { Session } from '@supabase/auth-js'

export interface SecondFactor {
  id: string
  name: string
  /** An app that shows codes, or a device that holds a key. */
  kind: 'app' | 'key'
}

/** The factors of which one must be shown before this session opens anything; none when it has, or there are none. */
export function pendingFactors(session: Session): SecondFactor[] {
  const verified = (session.user.factors ?? []).filter((factor) => factor.status === 'verified')
  if (verified.length === 0 || readLevel(session.access_token) === 'aal2') return []
  return verified.map(({ id, friendly_name, factor_type }) => ({
    id,
    name: friendly_name ?? 'Aplicativo autenticador',
    kind: factor_type === 'webauthn' ? 'key' : 'app',
  }))
}

/** Only to choose a screen: the server trusts nothing that is read here. */
function readLevel(accessToken: string): unknown {
  const payload = accessToken.split('.')[1] ?? ''
  try {
    return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).aal
  } catch {
    return null
  }
}
