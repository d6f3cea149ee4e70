import type { DestinationList } from './destinations.ts'
import { readChoice } from './read-choice.ts'

/** Whether the page of this visitor tells us of conversions as events, so that a report of the same is a second word of it. */
export async function isToldByEvent(
  destinations: DestinationList,
  cookieHeader: string | undefined,
): Promise<boolean> {
  const choice = readChoice(cookieHeader)
  if (choice === null) return false
  const { all } = await destinations.current()
  return all.some(({ category }) => choice.granted.includes(category))
}
