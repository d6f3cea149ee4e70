/** What an administrator can be told by mail. */
export const ALERT_KINDS = [
  'broken',
  'token_refused',
  'new_host',
  'script_changed',
  'headers_changed',
] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export const ALERT_NAMES: Record<AlertKind, string> = {
  broken: 'Um pixel para de funcionar',
  token_refused: 'Uma plataforma recusa o token',
  new_host: 'Uma tag tenta falar com um endereço novo',
  script_changed: 'O arquivo de uma plataforma muda',
  headers_changed: 'Os cabeçalhos da página mudam sem mudança de tag',
}

/** `GET` and `PUT /admin/api/alerts`: what one person chose for themselves. */
export interface AlertChoice {
  kinds: AlertKind[]
  /** False where no mail server is configured: nothing can go out, whatever is chosen. */
  can_send: boolean
}
