import { type FormEvent, useLayoutEffect, useRef } from 'react'
import type { ConsentCategory } from '#contract/consent.ts'
import { type ConsentAction, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { legalPagePath } from '#landing/legal/legal-paths.ts'
import { DialogHead } from '../shared/dialog-head.tsx'
import { CATEGORY_TEXTS, CONSENT_TEXTS } from './consent-texts.ts'

interface PreferencesDialogProps {
  granted: readonly ConsentCategory[]
  /** Categories that have a tag now. */
  inUse: readonly ConsentCategory[]
  /** What is said beyond the ordinary words. */
  more?: string | null | undefined
  onChoose: (granted: ConsentCategory[], action: ConsentAction) => void
  onClose: () => void
}

export function PreferencesDialog({ granted, inUse, more, onChoose, onClose }: PreferencesDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => dialog.current?.showModal(), [])

  const choose = (categories: ConsentCategory[], action: ConsentAction) => {
    dialog.current?.close()
    onChoose(categories, action)
  }
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const ticked = new FormData(event.currentTarget).getAll('category')
    choose(
      OPTIONAL_CATEGORIES.filter((category) => ticked.includes(category)),
      'save',
    )
  }

  return (
    <dialog ref={dialog} className="prefs" aria-labelledby="prefs-title" onClose={onClose}>
      <form onSubmit={save}>
        <DialogHead
          id="prefs-title"
          title={CONSENT_TEXTS.title}
          text={CONSENT_TEXTS.intro}
          onClose={() => dialog.current?.close()}
        />
        <ul>
          <li>
            <label>
              <span>
                <b>{CONSENT_TEXTS.essential.name}</b>
                {CONSENT_TEXTS.essential.text} {CONSENT_TEXTS.always}.
              </span>
              <input type="checkbox" checked disabled />
            </label>
          </li>
          {OPTIONAL_CATEGORIES.map((category) => (
            <li key={category}>
              <label>
                <span>
                  <b>{CATEGORY_TEXTS[category].name}</b>
                  {CATEGORY_TEXTS[category].text} {inUse.includes(category) ? '' : CONSENT_TEXTS.unused}
                </span>
                <input
                  type="checkbox"
                  name="category"
                  value={category}
                  defaultChecked={granted.includes(category)}
                />
              </label>
            </li>
          ))}
        </ul>
        <div className="choices">
          <button
            type="button"
            className="btn"
            onClick={() => choose([...OPTIONAL_CATEGORIES], 'accept_all')}
          >
            {CONSENT_TEXTS.acceptAll}
          </button>
          <button type="button" className="btn" onClick={() => choose([], 'reject')}>
            {CONSENT_TEXTS.reject}
          </button>
          <button type="submit" className="btn">
            {CONSENT_TEXTS.save}
          </button>
        </div>
        <p className="more">
          {more}
          <a href={legalPagePath('cookies')}>{CONSENT_TEXTS.policy}</a>
        </p>
      </form>
    </dialog>
  )
}
