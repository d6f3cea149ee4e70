import { type FormEvent, useLayoutEffect, useRef } from 'react'
import type { ConsentCategory } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES, RECEIPT_PATH } from '#contract/consent-choice.ts'
import { legalPagePath } from '#landing/legal/legal-paths.ts'
import { DialogHead } from '../shared/dialog.tsx'

/** `more` is said beyond the ordinary words. Hidden until the boot script finds that there is something to ask: without scripts no tag runs, and nothing is asked. */
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
  /** Categories that have a tag now. */
  inUse: readonly ConsentCategory[]
  /** What is said beyond the ordinary words. */
  more?: string | null | undefined
  choose: (granted: ConsentCategory[], action: ConsentAction) => void
  onClose: () => void
  /** Of the choice that there is, as its visitor may need to name it. */
  code?: string | undefined
}

export function PreferencesDialog({ granted, inUse, more, choose, onClose, code }: PreferencesDialogProps) {
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

// A change here changes what people agreed to: raise both versions of the text in `consent-choice.ts` with it. Each text
// is an export of its own, so that scripts do not carry what only the server renders.
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

/** Name and text of what is always on, and then of each of `OPTIONAL_CATEGORIES`, in their order. */
export const KINDS = [
  ['Essenciais', 'Fazem o site funcionar e lembram a sua escolha.'],
  ['Desempenho', 'Medem visitas e velocidade para melhorarmos o site.'],
  ['Funcionalidade', 'Lembram preferências e ativam recursos extras, como o chat.'],
  ['Marketing', 'Medem anúncios e mostram campanhas a quem já visitou o site.'],
] as const

/**
 * What banner and preferences say beyond `CONSENT_TEXTS` while a pixel sends the address of a subscription: with it the
 * text is `EMAIL_TEXT_VERSION`. In a file of its own, which no script of a visitor imports.
 */
export const EMAIL_NOTICE =
  'Se você aceitar Marketing e se inscrever na newsletter, seu e-mail também vai para a Meta em forma de código (hash).'
