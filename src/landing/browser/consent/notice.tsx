import { type FormEvent, useLayoutEffect, useRef } from 'react'
import type { ConsentCategory } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES, RECEIPT_PATH } from '#contract/consent-choice.ts'
import type { EmailSharing } from '#contract/site.ts'
import { joinNames } from '#landing/legal/document.ts'
import { legalPagePath } from '#landing/legal/legal-paths.ts'
import { DialogHead } from '../shared/dialog.tsx'
import { setObjection } from '../shared/objection.ts'

/**
 * `more` is added to the ordinary text. Hidden until the boot script finds that a choice is needed: without scripts no
 * tag runs.
 */
export function ConsentBanner({ more = '' }: { more?: string }) {
  return (
    <section className="consent" aria-label={REGION} hidden>
      <p>
        {QUESTION} {more === '' ? null : <b>{more} </b>}
        <a href={legalPagePath('cookies')} data-legal="cookies">
          {POLICY}
        </a>
      </p>
      <div className="choices">
        <button type="button" className="btn" data-consent="accept_all">
          {ACCEPT_ALL}
        </button>
        <button type="button" className="btn" data-consent="reject">
          {REJECT}
        </button>
        <button type="button" className="btn" data-consent="choose">
          {CHOOSE}
        </button>
      </div>
    </section>
  )
}

interface PreferencesDialogProps {
  granted: readonly ConsentCategory[]
  /** Categories with an active tag. */
  inUse: readonly ConsentCategory[]
  /** Added to the ordinary text. */
  more?: string | null | undefined
  choose: (granted: ConsentCategory[], action: ConsentAction) => void
  onClose: () => void
  /** The code of the current choice, which its visitor may need. */
  code?: string | undefined
  /** Whether the visitor objects to being counted; null where nobody is, and in what is kept as proof. */
  objects: boolean | null
}

export function PreferencesDialog(props: PreferencesDialogProps) {
  const { granted, inUse, more, choose, onClose, code, objects } = props
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])

  const close = (categories: ConsentCategory[], action: ConsentAction) => {
    dialog.current?.close()
    choose(categories, action)
  }
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    close(new FormData(event.currentTarget).getAll('category') as ConsentCategory[], 'save')
  }

  return (
    <dialog ref={dialog} className="prefs" aria-labelledby="prefs-title" onClose={onClose}>
      <form onSubmit={save}>
        <DialogHead id="prefs-title" title={TITLE} text={INTRO} onClose={() => dialog.current?.close()} />
        <ul>
          {KINDS.map(([name, text], at) => {
            const category = OPTIONAL_CATEGORIES[at - 1]
            const unused = inUse.includes(category as ConsentCategory) ? '' : UNUSED
            return (
              <li key={name}>
                <label>
                  <span>
                    <b>{name}</b>
                    {text} {category ? unused : ALWAYS}
                  </span>
                  <input
                    type="checkbox"
                    name="category"
                    value={category}
                    defaultChecked={!category || granted.includes(category)}
                    disabled={!category}
                  />
                </label>
              </li>
            )
          })}
          {objects !== null && (
            <li>
              <label>
                <span>
                  <b>{OBJECTION}</b>
                  {OBJECTION_TEXT}
                </span>
                <input
                  type="checkbox"
                  defaultChecked={objects}
                  onChange={(event) => setObjection(event.currentTarget.checked)}
                />
              </label>
            </li>
          )}
        </ul>
        <div className="choices">
          <button type="button" className="btn" onClick={() => close([...OPTIONAL_CATEGORIES], 'accept_all')}>
            {ACCEPT_ALL}
          </button>
          <button type="button" className="btn" onClick={() => close([], 'reject')}>
            {REJECT}
          </button>
          <button type="submit" className="btn">
            {SAVE}
          </button>
        </div>
        <p className="more">
          {more}
          <a href={legalPagePath('cookies')}>{POLICY}</a>
        </p>
        {code && (
          <p className="more">
            Código da sua escolha: {code}{' '}
            <a href={RECEIPT_PATH} download>
              Baixar comprovante
            </a>
          </p>
        )}
      </form>
    </dialog>
  )
}

// A change here changes what people agree to: raise `CONSENT_TEXT_VERSION` in `consent-choice.ts` with it. Each text is its own
// export, so that scripts do not contain what only the server renders.
export const REGION = 'Cookies'

export const QUESTION =
  'Usamos cookies essenciais para o site funcionar. Os outros, para medir visitas e anúncios, só com a sua permissão.'

export const ACCEPT_ALL = 'Aceitar todos'

export const REJECT = 'Rejeitar não essenciais'

export const CHOOSE = 'Preferências'

export const TITLE = 'Preferências de cookies'

export const INTRO = 'Escolha quais cookies podemos usar. Você pode mudar quando quiser, no rodapé do site.'

export const SAVE = 'Salvar preferências'

export const ALWAYS = 'Sempre ativos.'

export const UNUSED = 'Nenhum em uso agora.'

export const POLICY = 'Política de Cookies'

/** Not part of what people agree to: visits are counted without cookies, and anybody may object. */
const OBJECTION = 'Não contar minhas visitas'

const OBJECTION_TEXT = 'Contamos sem cookies nem dados de quem veio. Vale na hora, com um cookie essencial.'

/** Name and text of the essential category, then of each of `OPTIONAL_CATEGORIES`, in order. */
export const KINDS = [
  ['Essenciais', 'Fazem o site funcionar e lembram a sua escolha.'],
  ['Desempenho', 'Medem visitas e velocidade para melhorarmos o site.'],
  ['Funcionalidade', 'Lembram preferências e ativam recursos extras, como o chat.'],
  ['Marketing', 'Medem anúncios e mostram campanhas a quem já visitou o site.'],
] as const

/**
 * Added to banner and preferences while pixels send hashed addresses; empty if none does. No visitor's script imports
 * it: each page has its own sentence.
 */
export function emailNotice(sharing: EmailSharing | null | undefined): string {
  if (!sharing) return ''
  const customers = sharing.ofCustomers ? ' ou virar cliente' : ''
  return `Se você aceitar Marketing e se inscrever na newsletter${customers}, seu e-mail também vai para ${joinNames(sharing.recipients)} em forma de código (hash).`
}
