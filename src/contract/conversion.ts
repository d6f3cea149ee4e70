/** What a visitor did that a vendor may be told: followed "Abrir Conta", asked for a specialist, subscribed to the newsletter. */
export const CONVERSIONS = ['lead', 'contact', 'sign_up'] as const
export type Conversion = (typeof CONVERSIONS)[number]

export const CONVERSION_NAMES: Record<Conversion, string> = {
  lead: 'Clique em "Abrir Conta"',
  contact: 'Clique em "Falar com Especialista"',
  sign_up: 'Inscrição na newsletter',
}

/** What some vendors need to tell their conversions apart; it is pasted into a call, so it is narrow. */
export const CONVERSION_LABEL_PATTERN = /^[A-Za-z0-9_/-]{1,64}$/

/** By conversion; one without a label is not told to a vendor that needs one. */
export type ConversionLabels = Partial<Record<Conversion, string>>

export function isConversionLabels(value: unknown): value is ConversionLabels {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false
  return Object.entries(value).every(
    ([name, label]) =>
      (CONVERSIONS as readonly string[]).includes(name) &&
      typeof label === 'string' &&
      CONVERSION_LABEL_PATTERN.test(label),
  )
}
