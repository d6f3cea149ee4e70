import { useId } from 'react'
import { Button } from '#admin/components/button.tsx'
import { DoorIcon } from '#admin/components/door-icon.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { describeFilled, describeQuestion } from '../plan-fill.ts'
import type { useRecognition } from './use-recognition.ts'

interface RecognitionNoteProps {
  recognition: ReturnType<typeof useRecognition>
  /** The buttons go with the answer, and the focus must not. */
  onAnswered: () => void
}

/** Under the code: whose it is, what was filled in, and what is asked before it is replaced. */
export function RecognitionNote({ recognition, onAnswered }: RecognitionNoteProps) {
  const { recognised, about, filled, question, accept, decline } = recognition
  const id = useId()
  const answer = (act: () => void) => () => {
    act()
    onAnswered()
  }
  return (
    <div aria-live="polite" className="contents">
      {recognised === null && about !== null ? <MessageBox look="info">{about}</MessageBox> : null}
      {recognised === null ? null : (
        <div className="message-box flex gap-3 rounded-1 bg-accent-3 px-3.5 py-3 text-[0.9375rem]/[1.45]">
          <span aria-hidden="true" className="mt-px size-5 flex-none *:size-full">
            <DoorIcon />
          </span>
          <div className="min-w-0 flex-1 wrap-anywhere">
            <p className="font-semibold">Reconhecemos: {recognised.name}</p>
            <p className="text-sm empty:hidden">
              {[
                recognised.id === null ? null : `${recognised.id_label ?? 'ID'}: ${recognised.id}.`,
                describeFilled(filled),
              ]
                .filter(Boolean)
                .join(' ')}
            </p>
            {recognised.advice === null ? null : <p className="mt-1 text-sm">{recognised.advice}</p>}
            {question === null ? null : (
              // biome-ignore lint/a11y/useSemanticElements: a fieldset is for controls of the form, and these are not saved.
              <div role="group" aria-labelledby={id} className="mt-2.5">
                <p id={id} className="text-sm">
                  {describeQuestion(question)}
                </p>
                <div className="mt-2 flex flex-wrap gap-2">
                  <Button look="outline" onClick={answer(accept)}>
                    Trocar
                  </Button>
                  <Button look="outline" onClick={answer(decline)}>
                    Manter como está
                  </Button>
                </div>
              </div>
            )}
          </div>
        </div>
      )}
    </div>
  )
}
