import type { ConsentCount, ConsentState } from '#contract/consent.ts'

export type Choices = Record<ConsentState, number>

export const CHOICE_LABELS: Record<ConsentState, string> = {
  accepted: 'Aceitaram tudo',
  partial: 'Em parte',
  refused: 'Recusaram',
}

/** From the ground of a column to its top. */
export const CHOICE_STATES = ['accepted', 'partial', 'refused'] as const satisfies ConsentState[]

export function sumChoices(counts: readonly ConsentCount[]): Choices {
  const sum: Choices = { accepted: 0, partial: 0, refused: 0 }
  for (const { choice, count } of counts) sum[choice] += count
  return sum
}

export function wholeOf({ accepted, partial, refused }: Choices): number {
  return accepted + partial + refused
}

export interface DayChoices {
  /** `2026-11-16` */
  day: string
  choices: Choices
}

/** Every day of the range, those without a choice too. */
export function choicesByDay(
  counts: readonly ConsentCount[],
  range: { from: string; to: string },
): DayChoices[] {
  const byDay = Map.groupBy(counts, ({ day }) => day)
  const days: DayChoices[] = []
  for (let time = Date.parse(range.from); time <= Date.parse(range.to); time += 86_400_000) {
    const day = new Date(time).toISOString().slice(0, 10)
    days.push({ day, choices: sumChoices(byDay.get(day) ?? []) })
  }
  return days
}

const WEEKDAY = new Intl.DateTimeFormat('pt-BR', {
  weekday: 'long',
  day: '2-digit',
  month: '2-digit',
  timeZone: 'UTC',
})

/** "16/11" */
export function shortDay(day: string): string {
  return `${day.slice(8)}/${day.slice(5, 7)}`
}

/** "segunda-feira, 16/11" */
export function longDay(day: string): string {
  return WEEKDAY.format(new Date(`${day}T00:00:00Z`))
}
