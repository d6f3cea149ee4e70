import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { Button } from '#admin/components/button.tsx'
import { ChangedElsewhereBox } from '#admin/components/changed-elsewhere-box.tsx'
import { ConfirmDialog } from '#admin/components/confirm-dialog.tsx'
import { FailureBox } from '#admin/components/failure-box.tsx'
import { Modal, ModalBody, ModalFooter } from '#admin/components/modal.tsx'
import { notifySuccess } from '#admin/components/notify.ts'
import { DEFAULT_CATEGORY, type Pixel } from '#contract/pixel.ts'
import { faultOfCode, type PixelForm, pixelFormSchema, useSavePixel } from '../api/save-pixel.ts'
import { FormWarnings } from './form-warnings.tsx'
import { PixelFormFields } from './pixel-form-fields.tsx'
import { useCodeGeneration } from './use-code-generation.ts'

const NEW_PIXEL: PixelForm = {
  name: '',
  type: 'meta',
  pixel_id: '',
  code: '',
  consent_category: DEFAULT_CATEGORY.meta,
  is_active: true,
}

/** `pixel` is null to add one. */
export function PixelModal({ pixel, onClose }: { pixel: Pixel | null; onClose: () => void }) {
  const [opened, setOpened] = useState(pixel)
  const form = useForm<PixelForm>({
    defaultValues: toForm(pixel),
    resolver: standardSchemaResolver(pixelFormSchema),
  })
  const generation = useCodeGeneration(form)
  const save = useSavePixel()
  const { theirs } = save

  const submit = (overwrite: boolean) =>
    form.handleSubmit((values) => {
      if (!generation.onIdLeave()) return
      save.mutate(
        { form: values, opened, overwrite },
        {
          onSuccess: ({ name }) => {
            onClose()
            notifySuccess(`Pixel salvo: ${name}`)
          },
          onError: (error) => {
            const message = faultOfCode(error)
            if (message !== null) form.setError('code', { message }, { shouldFocus: true })
          },
        },
      )
    })
  const loadTheirs = (saved: Pixel) => {
    form.reset(toForm(saved))
    generation.restart()
    setOpened(saved)
    save.reset()
  }

  return (
    <Modal
      title={pixel === null ? 'Adicionar Novo Pixel' : 'Editar Pixel'}
      width="2xl"
      dirty={form.formState.isDirty}
      saving={save.isPending}
      onInterrupt={save.interrupt}
      onClose={onClose}
    >
      {(close) => (
        <form onSubmit={submit(false)} noValidate className="flex min-h-0 flex-1 flex-col">
          <ModalBody>
            {theirs ? (
              <ChangedElsewhereBox
                text="Outra pessoa alterou este pixel enquanto você editava."
                savedAt={theirs.updated_at}
                onReload={() => loadTheirs(theirs)}
                onOverwrite={submit(true)}
              />
            ) : (
              <FailureBox
                error={faultOfCode(save.error) === null ? save.error : null}
                fallback="Erro ao salvar pixel"
              />
            )}
            <PixelFormFields
              form={form}
              generation={generation}
              warnings={<FormWarnings form={form} id={pixel?.id ?? null} />}
            />
          </ModalBody>
          <ModalFooter>
            <Button look="outline" onClick={close}>
              Cancelar
            </Button>
            <Button type="submit" disabled={save.isPending}>
              {save.isPending ? 'Salvando...' : 'Salvar'}
            </Button>
          </ModalFooter>
          {generation.question === null ? null : (
            <ConfirmDialog
              title="Gerar o código de novo?"
              description="Você editou este código à mão. Gerar de novo descarta o que foi escrito."
              cancelLabel="Manter meu código"
              confirmLabel="Gerar de novo"
              onCancel={generation.keepCode}
              onConfirm={generation.replaceCode}
            />
          )}
        </form>
      )}
    </Modal>
  )
}

function toForm(pixel: Pixel | null): PixelForm {
  if (pixel === null) return NEW_PIXEL
  const { name, type, pixel_id, code, is_active, consent_category } = pixel
  return { name, type, pixel_id: pixel_id ?? '', code, is_active, consent_category }
}
