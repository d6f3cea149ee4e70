/** So many rows of a large change are one statement: it holds the write lock for some milliseconds. */
export const STEP_ROWS = 500

/**
 * Repeats a statement that changes no more than `STEP_ROWS` rows until it finds fewer, and gives their sum. Between two
 * steps everybody else has their turn. What was interrupted goes on the next time.
 */
export async function inSteps(
  step: (rows: number) => Promise<bigint>,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0
  for (let changed = STEP_ROWS; changed === STEP_ROWS && signal?.aborted !== true; ) {
    changed = Number(await step(STEP_ROWS))
    total += changed
  }
  return total
}
