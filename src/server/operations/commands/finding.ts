import { describeFault } from '#server/db/errors.ts'

/** What a check says: well, worth mending, or not working; `mend` is what to do. */
export interface Finding {
  level: 'ok' | 'warn' | 'bad'
  what: string
  mend?: string
}

export const ok = (what: string): Finding => ({ level: 'ok', what })
export const warn = (what: string, mend: string): Finding => ({ level: 'warn', what, mend })
export const bad = (what: string, mend: string): Finding => ({ level: 'bad', what, mend })

export function describe({ level, what, mend }: Finding): string {
  const mark = { ok: '✓', warn: '!', bad: '✗' }[level]
  return mend === undefined ? `${mark} ${what}` : `${mark} ${what}\n    → ${mend}`
}

/** A failure as a finding: its reason and what to do, where its code is known; else the code itself. */
export function faultOf(error: unknown): Finding {
  const fault = describeFault(error)
  return fault === null
    ? bad(`a verificação parou (${reasonOf(error)})`, 'Veja o log do servidor.')
    : bad(fault.what, `${fault.mend}.`)
}

export function reasonOf(error: unknown): string {
  const { message, code, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException }
  return cause?.code ?? cause?.message ?? code ?? message
}
