import { parentPort } from 'node:worker_threads'
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary as common } from '@zxcvbn-ts/language-common'
import { dictionary as brazilian } from '@zxcvbn-ts/language-pt-br'
import { COMMON_PASSWORDS } from './common-passwords.ts'

export interface StrengthQuestion {
  id: number
  password: string
  /** Words that say something about the person: guessed first. */
  personal: string[]
}

export interface StrengthAnswer {
  id: number
  guesses: number
  /** Part of it is a word, a name or a password that is known to be used. */
  hasWord: boolean
}

/** Entry of the thread: 130,000 words, in memory only while somebody chooses a password. */
const estimator = new ZxcvbnFactory({
  dictionary: { ...common, ...brazilian, 'passwords-brazil': [...COMMON_PASSWORDS] },
  graphs: adjacencyGraphs,
})

parentPort?.on('message', ({ id, password, personal }: StrengthQuestion) => {
  const { guesses, sequence } = estimator.check(password, personal)
  const answer: StrengthAnswer = {
    id,
    guesses,
    hasWord: sequence.some(({ pattern }) => pattern === 'dictionary'),
  }
  parentPort?.postMessage(answer)
})
