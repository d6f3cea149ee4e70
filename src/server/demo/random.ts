/** Pseudo-random numbers that are the same for the same seed. Not for secrets. */
export class Random {
  #state: number

  constructor(seed: string) {
    // FNV-1a: any text becomes a seed.
    this.#state = [...seed].reduce(
      (hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619),
      2_166_136_261,
    )
  }

  /** From 0 (inclusive) to 1 (exclusive) (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low)
  }

  integer(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1))
  }

  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.next() * values.length)] as T
  }

  /** One of the keys, by weight. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries(weights) as [Key, number][]
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
    for (const [key, weight] of entries) {
      rest -= weight
      if (rest < 0) return key
    }
    return (entries.at(-1) as [Key, number])[0]
  }

  /** Around `middle`, with a long tail upwards, like times and sizes. */
  around(middle: number, spread = 0.5): number {
    const bell = this.next() + this.next() + this.next() - 1.5
    return middle * Math.exp(bell * spread * 2)
  }

  /** A version 4 UUID. */
  uuid(): string {
    const digits = Array.from({ length: 32 }, () => this.integer(0, 15).toString(16))
    digits[12] = '4'
    digits[16] = '89ab'[this.integer(0, 3)] as string
    const text = digits.join('')
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join(
      '-',
    )
  }
}
