export const ACTIVITY_KINDS = ['pixels', 'people', 'sign_ins', 'newsletter', 'system'] as const
export type ActivityKind = (typeof ACTIVITY_KINDS)[number]

/** Actors in the audit trail that are no person. */
export const ACTIVITY_ACTORS: Readonly<Record<string, string>> = {
  'service key': 'Sistema integrado (chave de serviço)',
  'command line': 'Alguém com acesso ao servidor',
  configuration: 'Configuração do servidor',
  guest: 'Visitante sem login',
  disjuntor: 'Pausa automática',
  inventory: 'Verificação de scripts',
}

/** One action. */
export interface ActivityEvent {
  id: string
  at: string
  /** An email, or words for an actor that is no person. */
  by: string
  kind: ActivityKind
  /** The action, as the end of a sentence that begins with `by`. */
  text: string
  /** Set while the pixel can be opened. */
  pixel_id?: string
}

/** `GET /admin/api/activity?search&by&kind&before`: newest first. */
export interface ActivityPage {
  events: ActivityEvent[]
  /** For `before`; null at the end. A page may be short or empty and have one: the search continues there. */
  next: string | null
  /** How long events are kept, and failed sign-ins. */
  kept_days: number
  failed_login_days: number
  /** Filter values: people with access, and actors that are no person. */
  people: { value: string; label: string }[]
}
