/** OWASP's floor for argon2id: 43 to 72 ms on the small machines that this is made for. */
export const HASH_COST: HashCost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** What one argon2id hash costs: KiB of memory, passes over it, threads. */
export interface HashCost {
  memoryCost: number
  timeCost: number
  parallelism: number
}

const ARGON2 = /^\$argon2(?:id|i|d)\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$[\w+/]{11,86}\$[\w+/]{22,172}$/
/** Each step doubles the work: twelve is what a check of ours may take several times over. */
const BCRYPT = /^\$2[aby]\$(?:0[4-9]|1[0-2])\$[./A-Za-z0-9]{53}$/

/** A hash from elsewhere decides how much each check of it costs, so that is bounded. */
export function isAcceptableHash(hash: string): boolean {
  if (BCRYPT.test(hash)) return true
  const [memory = 0, passes = 0, lanes = 0] = (ARGON2.exec(hash)?.slice(1) ?? []).map(Number)
  return memory >= 8 * lanes && memory <= 131_072 && passes >= 1 && passes <= 10 && lanes >= 1
}

export function isBcrypt(hash: string): boolean {
  return BCRYPT.test(hash)
}
