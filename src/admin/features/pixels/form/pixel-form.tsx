import { standardSchemaResolver } from '@hookform/resolvers/standard-schema'
import { type FormEvent, useState } from 'react'
import { useForm } from 'react-hook-form'
import { ConfirmDialog, FormModal } from '#admin/components/modal.tsx'
import { notifySuccess } from '#admin/components/toast.tsx'
import { navigate, paths } from '#admin/lib/router.tsx'
import { isConversionLabels } from '#contract/conversions.ts'
import { DEFAULT_CATEGORY, type Pixel } from '#contract/pixel.ts'
import type { TagPreviewRequest } from '#contract/tag-status.ts'
import { aboutPixel } from '../api.ts'
import { deliveryOf, fieldOfRefusal, toSendingForm } from '../sending.ts'
import { useStartTest } from '../test-visit/api.ts'
import { needsTestCode } from '../test-visit/test-card.tsx'
import { CheckSending, toDraft, useCheckDelivery } from './check-sending.tsx'
import { CodeVerdict, RecognitionNote, TagForecast, useAskPreview, useTagPreview } from './code-help.tsx'
import { ConflictView } from './conflict.tsx'
import { ConversionLabelFields, PixelFormFields, RunsInChoice } from './pixel-fields.tsx'
import { useCodeGeneration, useRecognition } from './recognition.ts'
import {
  type FormStart,
  faultOfCode,
  faultOfSending,
  givenLabels,
  type PixelForm,
  pixelFormSchema,
  useSavePixel,
} from './schema.ts'
import { SendingFields } from './sending-fields.tsx'

const NO_LABELS = { lead: '', contact: '', sign_up: '' }
const NEW_PIXEL: PixelForm = {
  name: '',
  type: 'meta',
  pixel_id: '',
  code: '',
  consent_category: DEFAULT_CATEGORY.meta,
  conversion_labels: NO_LABELS,
  is_active: true,
  auto_disable: false,
  runs_in: 'page',
  reason: '',
  ...toSendingForm(null),
}

interface PixelModalProps {
  /** Null to add one. */
  pixel: Pixel | null
  startsAt?: FormStart
  onClose: () => void
}

export function PixelModal({ pixel, startsAt = 'name', onClose }: PixelModalProps) {
  const [opened, setOpened] = useState(pixel)
  const form = useForm<PixelForm>({
    defaultValues: toForm(pixel),
    resolver: standardSchemaResolver(pixelFormSchema),
  })
  const generation = useCodeGeneration(form)
  const request = toPreviewRequest(form.watch(), opened?.id ?? null)
  const preview = useTagPreview(request)
  const askPreview = useAskPreview()
  const recognition = useRecognition({ form, generation, preview, storedCode: opened?.code ?? null })
  const save = useSavePixel(opened?.id ?? null)
  const check = useCheckDelivery()
  const delivery = deliveryOf({ type: form.watch('type'), delivery: form.watch('delivery') })
  const { theirs } = save
  const test = useStartTest()
  const testNow = (saved: Pixel) =>
    // Its page asks for the code that makes it a test.
    needsTestCode(saved) ? navigate(paths.pixel(saved.id)) : test.mutate({ pixelId: saved.id })

  /** With `stay` the form stays open on what was saved. */
  const submit =
    (overwrite: boolean, stay = false) =>
    async (event?: FormEvent) => {
      event?.preventDefault()
      await fillIn()
      await store(overwrite, stay)
    }
  const fillIn = async () => {
    const { name, type, pixel_id, code } = form.getValues()
    // What the code says itself is not asked for, however quick the hand.
    const lacksSomething = name.trim() === '' || (type !== 'custom' && pixel_id.trim() === '')
    if (lacksSomething && code.trim() !== '' && !preview.isCurrent)
      recognition.take(await askPreview(request))
  }
  const isComplete = async () => {
    await fillIn()
    return form.trigger(undefined, { shouldFocus: true })
  }
  const store = (overwrite: boolean, stay: boolean) =>
    form.handleSubmit((values) => {
      if (!generation.onIdLeave()) return
      const submitted = structuredClone(form.getValues())
      save.mutate(
        { form: values, opened, overwrite },
        {
          onSuccess: (saved) => {
            tellRefusal(saved, submitted)
            if (stay) showSaved(saved, submitted)
            else onClose()
            notifySuccess(`Pixel salvo: ${saved.name}`, {
              about: aboutPixel(saved.id),
              ...(saved.is_active && !stay
                ? { action: { label: 'Testar agora', run: () => testNow(saved) } }
                : {}),
            })
          },
          onError: showRefusal,
        },
      )
    })()
  /** Saved although the vendor had just refused it: asked of what is saved, so that its health says so at once. */
  const tellRefusal = (saved: Pixel, submitted: PixelForm) => {
    const { data, variables: last } = check
    const isSame = JSON.stringify(last?.draft) === JSON.stringify(toDraft(submitted, opened?.id ?? null))
    if (data?.state === 'refused' && last !== undefined && isSame)
      check.mutate({ ...last, pixelId: saved.id })
  }
  const showRefusal = (error: unknown) => {
    const code = faultOfCode(error)
    if (code !== null) form.setError('code', { message: code }, { shouldFocus: true })
    const sending = faultOfSending(error)
    if (sending === null) return
    const field = fieldOfRefusal(form.getValues())
    if (field.startsWith('secrets')) form.setValue('stored_secret', null)
    form.setError(field, { message: sending }, { shouldFocus: true })
  }
  /** What was typed while it was being saved is still there, and still unsaved. */
  const showSaved = (saved: Pixel, submitted: PixelForm) => {
    const typed = structuredClone(form.getValues())
    loadTheirs(saved)
    for (const field of Object.keys(typed) as (keyof PixelForm)[])
      if (JSON.stringify(typed[field]) !== JSON.stringify(submitted[field]))
        form.setValue(field, typed[field], { shouldDirty: true })
  }
  const loadTheirs = (saved: Pixel) => {
    form.reset(toForm(saved))
    generation.restart()
    setOpened(saved)
    save.reset()
  }

  return (
    <FormModal
      title={opened === null ? 'Adicionar Novo Pixel' : 'Editar Pixel'}
      width="2xl"
      dirty={form.formState.isDirty}
      action={{ ...save, error: isSaidAtField(save.error) ? null : save.error }}
      failure="Erro ao salvar pixel"
      conflict={
        theirs && {
          text: 'Este pixel foi alterado depois que você abriu o formulário.',
          savedAt: theirs.updated_at,
          onReload: () => loadTheirs(theirs),
          onOverwrite: submit(true),
          view: <ConflictView theirs={theirs} form={form.watch()} />,
        }
      }
      submit="Salvar"
      onSubmit={submit(false)}
      onClose={onClose}
    >
      <PixelFormFields
        form={form}
        generation={generation}
        recognition={recognition}
        needsNoConsent={preview.preview?.kind === 'head'}
        startsAtCode={startsAt === 'code'}
        startsAtSending={startsAt === 'sending'}
        runsCode={delivery !== 'server'}
        aboutCode={
          <>
            <RecognitionNote recognition={recognition} onAnswered={() => form.setFocus('code')} />
            {delivery === 'server' ? null : <CodeVerdict form={form} preview={preview} />}
            <ConversionLabelFields form={form} preview={preview} />
          </>
        }
        aboutSending={
          <>
            <SendingFields
              form={form}
              storedAt={opened?.access_token_stored_at ?? null}
              startsHere={startsAt === 'sending'}
            />
            {delivery === 'browser' ? null : (
              <CheckSending
                type={form.watch('type')}
                pixelId={opened?.id ?? null}
                check={check}
                needsSave={opened === null || form.formState.isDirty}
                isSaving={save.isPending}
                readDraft={() => toDraft(form.getValues(), opened?.id ?? null)}
                isComplete={isComplete}
                onSave={() => void submit(false, true)()}
              />
            )}
          </>
        }
        aboutTag={
          delivery === 'server' ? null : <TagForecast preview={preview} runsIn={form.watch('runs_in')} />
        }
        aboutPlace={
          delivery === 'server' ? null : (
            <RunsInChoice form={form} proposal={preview.preview?.runs_in ?? null} />
          )
        }
      />
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
    </FormModal>
  )
}

function isSaidAtField(error: unknown): boolean {
  return (faultOfCode(error) ?? faultOfSending(error)) !== null
}

function toForm(pixel: Pixel | null): PixelForm {
  if (pixel === null) return NEW_PIXEL
  const { name, type, pixel_id, code, is_active, auto_disable, consent_category } = pixel
  return {
    name,
    type,
    pixel_id: pixel_id ?? '',
    code,
    is_active,
    auto_disable,
    runs_in: pixel.runs_in,
    reason: pixel.reason ?? '',
    consent_category,
    conversion_labels: { ...NO_LABELS, ...pixel.conversion_labels },
    ...toSendingForm(pixel),
  }
}

/** A label that is still being typed is left out: the preview would be refused whole. */
function toPreviewRequest(values: PixelForm, id: string | null): TagPreviewRequest {
  const { type, pixel_id, code, consent_category, conversion_labels } = values
  const labels = givenLabels(conversion_labels)
  return {
    ...(id === null ? {} : { id }),
    type,
    pixel_id: type === 'custom' ? null : pixel_id,
    code,
    consent_category,
    ...(isConversionLabels(labels) ? { conversion_labels: labels } : {}),
  }
}
