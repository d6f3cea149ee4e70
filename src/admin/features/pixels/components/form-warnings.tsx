import type { UseFormReturn } from 'react-hook-form'
import { useTagWarnings } from '../api/preview-tag.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { TagWarnings } from './tag-warnings.tsx'

/** Under the code, while it is typed: what it will not do. */
export function FormWarnings({ form, id }: { form: UseFormReturn<PixelForm>; id: string | null }) {
  const [type, pixelId, code, category] = form.watch(['type', 'pixel_id', 'code', 'consent_category'])
  const warnings = useTagWarnings({
    ...(id === null ? {} : { id }),
    type,
    pixel_id: type === 'custom' ? null : pixelId,
    code,
    consent_category: category,
  })
  return <TagWarnings warnings={warnings} />
}
