import type { UseFormReturn } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import { DEFAULT_CATEGORY, PIXEL_TYPE_LABELS, type PixelType } from '#contract/pixel.ts'
import { findPixelIdFault } from '#contract/pixel-id.ts'
import type { PixelForm } from '../api/save-pixel.ts'

interface PixelIdAdviceProps {
  form: UseFormReturn<PixelForm>
  /** The form has another type now. */
  onTypeChange: (type: PixelType) => void
}

/** Under the ID, before anything is saved: that it cannot be one of this type, and whose it is. */
export function PixelIdAdvice({ form, onTypeChange }: PixelIdAdviceProps) {
  const [type, pixelId, category] = form.watch(['type', 'pixel_id', 'consent_category'])
  const fault = findPixelIdFault(type, pixelId)
  const other = fault?.type ?? null
  const switchType = (next: PixelType) => {
    form.setValue('type', next, { shouldDirty: true })
    if (category === DEFAULT_CATEGORY[type]) form.setValue('consent_category', DEFAULT_CATEGORY[next])
    onTypeChange(next)
    form.setFocus('pixel_id')
  }
  return (
    <div aria-live="polite" className="contents">
      {fault === null ? null : (
        <MessageBox
          look="warn"
          actions={
            other === null ? undefined : (
              <Button look="outline" onClick={() => switchType(other)}>
                Trocar o tipo para {PIXEL_TYPE_LABELS[other]}
              </Button>
            )
          }
        >
          {fault.message}
        </MessageBox>
      )}
    </div>
  )
}
