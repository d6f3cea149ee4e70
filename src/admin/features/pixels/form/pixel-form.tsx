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
import { findTestCode, useDestinations } from '../destinations.ts'
import { deliveryOf, fieldOfRefusal, isUnknown, toSendingForm, vendorOf } from '../sending.ts'
import { useStartTest } from '../test-visit/api.ts'
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
import { toTextForm } from './text-fields.tsx'

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
  ...toTextForm(null),
  ...toSendingForm(null),
}

interface PixelModalProps {
  /** Null for a new one. */
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
  const [type, chosenDelivery, destination, served] = form.watch([
    'type',
    'delivery',
    'destination',
    'served',
  ])
  const chosen = { type, delivery: chosenDelivery, destination, served }
  const delivery = deliveryOf(chosen)
  const destinations = useDestinations()
  const { theirs } = save
  const test = useStartTest()
  const testNow = (saved: Pixel) => {
    const isUnknown = saved.delivery !== 'browser' && destinations.data === undefined
    // Its page asks for the test code.
    if (isUnknown || findTestCode(destinations.data, saved) !== null) navigate(paths.pixel(saved.id))
    else test.mutate({ pixelId: saved.id })
  }

  /** `replaced` is another person's version; with `stay` the form stays open after saving. */
  const submit =
    (replaced: Pixel | null, stay = false) =>
    async (event?: FormEvent) => {
      event?.preventDefault()
      await fillIn()
      await store(replaced, stay)
    }
  const fillIn = async () => {
    const { name, type, pixel_id, code } = form.getValues()
    // Fields that the code answers are not required, even if saving is quick.
    const lacksSomething = name.trim() === '' || (type !== 'custom' && pixel_id.trim() === '')
    if (lacksSomething && code.trim() !== '' && !preview.isCurrent)
      recognition.take(await askPreview(request))
  }
  const isComplete = async () => {
    await fillIn()
    return form.trigger(undefined, { shouldFocus: true })
  }
  const store = (replaced: Pixel | null, stay: boolean) =>
    form.handleSubmit((values) => {
      if (!generation.onIdLeave()) return
      const submitted = structuredClone(form.getValues())
      save.mutate(
        { form: values, opened, replaced },
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
  /** Saved although the vendor had just refused it: checked again as saved, so that its health shows it at once. */
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
  /** What was typed during the save stays, unsaved. */
  const showSaved = (saved: Pixel, submitted: PixelForm) => {
    const typed = structuredClone(form.getValues())
    loadTheirs(saved)
    for (const field of Object.keys(typed) as (keyof PixelForm)[])
      if (JSON.stringify(typed[field]) !== JSON.stringify(submitted[field]))
        form.setValue(field, typed[field], { shouldDirty: true })
  }
  const loadTheirs = (saved: Pixel) => {
    const known = form.getValues('served')
    form.reset({ ...toForm(saved), served: known?.id === saved.destination ? known : null })
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
          onOverwrite: submit(theirs),
          view: <ConflictView theirs={theirs} form={form.watch()} />,
        }
      }
      submit="Salvar"
      onSubmit={submit(null)}
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
            {delivery === 'server' ? null : <ConversionLabelFields form={form} preview={preview} />}
          </>
        }
        aboutSending={
          <>
            <SendingFields
              form={form}
              storedAt={opened?.access_token_stored_at ?? null}
              startsHere={startsAt === 'sending'}
              recognised={preview.preview?.recognised?.vendor ?? null}
            />
            {delivery === 'browser' || isUnknown(chosen) ? null : (
              <CheckSending
                type={type}
                vendor={vendorOf(chosen)}
                meaning={
                  (vendorOf(chosen) ?? destinations.data?.find((each) => each.type === type))?.test.meaning ??
                  null
                }
                pixelId={opened?.id ?? null}
                check={check}
                needsSave={opened === null || form.formState.isDirty}
                isSaving={save.isPending}
                readDraft={() => toDraft(form.getValues(), opened?.id ?? null)}
                isComplete={isComplete}
                onSave={() => void submit(null, true)()}
              />
            )}
          </>
        }
        aboutTag={delivery === 'server' ? null : <TagForecast preview={preview} />}
        aboutPlace={
          delivery === 'server' ? null : (
            <RunsInChoice form={form} proposal={preview.preview?.runs_in ?? null} />
          )
        }
      />
      {generation.question === null ? null : (
        <ConfirmDialog
          title="Substituir o código?"
          description="Você editou este código. Se gerar outro, suas edições serão perdidas."
          cancelLabel="Manter meu código"
          confirmLabel="Substituir"
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
    ...toTextForm(pixel),
    consent_category,
    conversion_labels: { ...NO_LABELS, ...pixel.conversion_labels },
    ...toSendingForm(pixel),
  }
}

/** An incomplete label is left out: the preview would be refused. */
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
