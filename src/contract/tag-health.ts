/** How an active pixel is doing, from evidence; the switch (Ativo, Inativo) stands beside it. */
type TagHealth = 'working' | 'partial' | 'broken' | 'waiting' | 'paused' | 'off'

export const HEALTH_LABELS: Record<TagHealth, string> = {
  working: 'Funcionando',
  partial: 'Com falhas',
  broken: 'Não funciona',
  waiting: 'Aguardando visita',
  paused: 'Pausado',
  off: 'Desligado',
}

/** As the dashboard writes it: what nobody confirmed is not said to work. */
export function healthLabel({ health, confirmed }: Pick<PixelHealth, 'health' | 'confirmed'>): string {
  return health === 'working' && !confirmed ? 'Rodou, sem confirmação' : HEALTH_LABELS[health]
}

/** Why a pixel is as it is; `message` is a whole Portuguese sentence. */
export interface HealthReason {
  code: string
  host?: string
  message: string
  action?: HealthAction
}

/** The button that mends it. */
export type HealthAction =
  /** `POST /admin/api/blocked-hosts/allow` with these ids. */
  | { kind: 'permit'; ids: string[]; label: string }
  /** `POST /admin/api/pixels/ID/rearm`: what the breaker did or said is taken back. */
  | { kind: 'rearm'; label: string }
  /** Opens the form. */
  | { kind: 'edit'; label: string }

export interface PixelHealth {
  health: TagHealth
  /** True when the vendor answered, or a browser that can tell saw it leave. */
  confirmed: boolean
  /** The most important first. */
  reasons: HealthReason[]
}
