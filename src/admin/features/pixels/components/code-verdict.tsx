import type { UseFormReturn } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { MessageBox } from '#admin/components/message-box.tsx'
import type { PreviewState } from '../api/preview-tag.ts'
import type { PixelForm } from '../api/save-pixel.ts'
import { TagWarnings } from './tag-warnings.tsx'

const EMPTY = {
  code: 'empty',
  message: 'Sem código, este pixel não faz nada na página. Cole o que a plataforma deu a você.',
}

interface CodeVerdictProps {
  form: UseFormReturn<PixelForm>
  preview: PreviewState
}

/** Under the code, while it is typed: what it will not do. */
export function CodeVerdict({ form, preview: { preview, isFailed, retry } }: CodeVerdictProps) {
  const [type, pixelId, code, isActive] = form.watch(['type', 'pixel_id', 'code', 'is_active'])
  // A form that nobody has begun to fill needs no warning.
  const isEmptied = code.trim() === '' && isActive && (pixelId.trim() !== '' || isOpenedEmpty(form, type))
  if (isFailed) {
    return (
      <MessageBox
        look="info"
        advice="Dá para salvar assim mesmo; a lista avisa se algo não funcionar."
        actions={
          <Button look="outline" onClick={retry}>
            Conferir de novo
          </Button>
        }
      >
        Não deu para conferir o código agora.
      </MessageBox>
    )
  }
  return <TagWarnings warnings={isEmptied ? [EMPTY] : (preview?.warnings ?? [])} />
}

function isOpenedEmpty({ formState }: UseFormReturn<PixelForm>, type: PixelForm['type']): boolean {
  return (
    type === 'custom' && (formState.dirtyFields.code === true || formState.defaultValues?.type === 'custom')
  )
}
