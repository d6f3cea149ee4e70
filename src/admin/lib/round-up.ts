/** The end of an axis: the first round number that divides by four, or into whole visits. */
export function roundUp(most: number): number {
  if (most <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(most))
  for (const factor of [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10]) {
    const end = factor * power
    if (end >= most && end % 4 === 0) return end
  }
  return Math.ceil(most / 4) * 4
}
