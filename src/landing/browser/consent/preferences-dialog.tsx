import { type FormEvent, useLayoutEffect, useRef } from 'react'
import type { ConsentCategory } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES, RECEIPT_PATH } from '#contract/consent-choice.ts'
import { legalPagePath } from '#landing/legal/legal-paths.ts'
import { DialogHead } from '../shared/dialog-head.tsx'
import { ACCEPT_ALL, ALWAYS, INTRO, KINDS, POLICY, REJECT, SAVE, TITLE, UNUSED } from './consent-texts.ts'

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
