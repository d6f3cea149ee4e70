import { TAG_REFUSED } from '#contract/tag-status.ts'
import { AppError } from '../http/app-error.ts'

/** Why a snippet cannot become a tag. */
export type RefusalReason = 'too_slow' | 'too_complex' | 'too_large' | 'failed'

const REASONS: Record<RefusalReason, string> = {
  too_slow: 'O código é complexo demais: lê-lo leva mais de 2 segundos.',
  too_complex: 'O código é complexo demais: lido por um navegador, viraria elementos sem fim.',
  too_large: 'O código fica grande demais depois de lido.',
  failed: 'Não foi possível ler o código.',
}
const ADVICE = 'Ele não foi salvo. Confira se é mesmo o código da plataforma e copie-o de novo.'

/** In the words that an administrator reads at the field of the code. */
export function refuseTag(reason: RefusalReason, cause?: unknown): AppError {
  return new AppError(400, TAG_REFUSED, `${REASONS[reason]} ${ADVICE}`, cause === undefined ? {} : { cause })
}

/** A script that no browser would run. */
export function refuseScript(problem: string): AppError {
  return new AppError(400, TAG_REFUSED, `${problem} O pixel não foi salvo.`)
}

/** The compiler has more to do than it can: nothing is wrong with this snippet. */
export function compilerBusy(): AppError {
  return new AppError(
    503,
    'tag_compiler_busy',
    'Há códigos demais sendo lidos agora. Tente de novo em instantes.',
    {
      headers: { 'retry-after': '5' },
    },
  )
}

/** One write with more code in it than there is time for. */
export function tooMuchAtOnce(): AppError {
  return new AppError(
    400,
    TAG_REFUSED,
    'São códigos demais de uma vez. Nada foi salvo: envie menos pixels por vez.',
  )
}
