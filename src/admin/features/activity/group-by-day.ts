import type { ActivityEvent } from '#contract/activity.ts'
import { SITE_TIME_ZONE } from '#contract/site.ts'

const DAY_MS = 86_400_000
const DATE = new Intl.DateTimeFormat('pt-BR', {
  timeZone: SITE_TIME_ZONE,
  day: '2-digit',
  month: '2-digit',
  year: 'numeric',
})

interface ActivityDay {
  label: string
  events: ActivityEvent[]
}

/** Events, in their order, under the days of the site. */
export function groupByDay(events: readonly ActivityEvent[], now: number): ActivityDay[] {
  const days: ActivityDay[] = []
  const today = DATE.format(now)
  const yesterday = DATE.format(now - DAY_MS)
  for (const event of events) {
    const date = DATE.format(new Date(event.at))
    const label = date === today ? 'Hoje' : date === yesterday ? 'Ontem' : date
    const day = days.at(-1)
    if (day?.label === label) day.events.push(event)
    else days.push({ label, events: [event] })
  }
  return days
}
