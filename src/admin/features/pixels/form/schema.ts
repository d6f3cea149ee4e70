import { useQueryClient } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { RequestError, unwrap } from '#admin/lib/api.ts'
import { storeRow, useSaveRow } from '#admin/lib/queries.ts'
import { type Data, useServices } from '#admin/lib/services.tsx'
import { CONVERSION_LABEL_PATTERN, CONVERSIONS, type ConversionLabels } from '#contract/conversions.ts'
import {
  isWithinCodeLimit,
  mayBeIsolated,
  PIXEL_ID_PATTERN,
  PIXEL_NAME_MAX_LENGTH,
  type Pixel,
} from '#contract/pixel.ts'
import { pixelRunsInSchema, pixelTypeSchema, tagCategorySchema } from '#contract/pixel-schema.ts'
import { POLICY_FULL, TAG_REFUSED } from '#contract/tag-status.ts'
import { latestOwnVersion, PIXEL_GONE, PIXELS_KEY, showSaved, writesOf } from '../api.ts'
import { findSendingFault, sendingFields, toSendingColumns } from '../sending.ts'
import { textSchema, toTextColumns, upTo } from './text-fields.tsx'

/** Empty if the conversion is not sent. */
const labelSchema = z.string().check(
  z.trim(),
  z.refine(
    (label) => label === '' || CONVERSION_LABEL_PATTERN.test(label),
    'Use até 64 caracteres: letras, números, hífen (-), sublinhado (_) e barra (/).',
  ),
)

export const pixelFormSchema = z
  .object({
    name: z.string().check(z.trim(), z.minLength(1, 'Dê um nome ao pixel.'), upTo(PIXEL_NAME_MAX_LENGTH)),
    type: pixelTypeSchema,
    pixel_id: z.string().check(z.trim()),
    code: z
      .string()
      .check(z.refine(isWithinCodeLimit, 'O código tem mais de 100 KB. Reduza o tamanho para salvar.')),
    consent_category: tagCategorySchema,
    conversion_labels: z.object({ lead: labelSchema, contact: labelSchema, sign_up: labelSchema }),
    is_active: z.boolean(),
    auto_disable: z.boolean(),
    /** Stored for custom pixels only. */
    runs_in: pixelRunsInSchema,
    ...textSchema,
    ...sendingFields,
  })
  .check(
    z.refine(({ type, pixel_id }) => type === 'custom' || pixel_id !== '', {
      path: ['pixel_id'],
      error: 'Digite o ID do pixel.',
    }),
    z.refine(
      ({ type, pixel_id }) => type === 'custom' || pixel_id === '' || PIXEL_ID_PATTERN.test(pixel_id),
      {
        path: ['pixel_id'],
        error: 'Use até 64 caracteres: letras, números, hífen (-) e sublinhado (_).',
      },
    ),
    ({ value, issues }) => {
      const fault = findSendingFault(value)
      if (fault === null) return
      issues.push({ code: 'custom', message: fault.message, path: fault.field.split('.'), input: value })
    },
  )

/** The server's refusal of the code, shown at the field; else null. */
export function faultOfCode(error: unknown): string | null {
  if (!(error instanceof RequestError)) return null
  return error.code === TAG_REFUSED || error.code === POLICY_FULL ? error.message : null
}

/** The server's refusal of the sending settings; else null. */
export function faultOfSending(error: unknown): string | null {
  return error instanceof RequestError && error.code === 'pixel_delivery_refused' ? error.message : null
}

export type PixelForm = z.infer<typeof pixelFormSchema>

/** Without empty ones. */
export function givenLabels(labels: PixelForm['conversion_labels']): ConversionLabels {
  return Object.fromEntries(
    CONVERSIONS.map((name) => [name, labels[name].trim()]).filter(([, label]) => label),
  )
}

interface SavePixel {
  form: PixelForm
  /** The row as it was opened; null for a new pixel. */
  opened: Pixel | null
  /** The other person's version that this person saw and chose to replace. */
  replaced: Pixel | null
}

/** `pixelId` is null for a new one. */
export function useSavePixel(pixelId: string | null) {
  const { data } = useServices()
  const queryClient = useQueryClient()
  return useSaveRow({
    listKey: PIXELS_KEY,
    ...(pixelId === null ? {} : { scope: writesOf(pixelId) }),
    save: (input: SavePixel, signal) =>
      savePixel(data, input, (opened) => latestOwnVersion(queryClient, opened), signal),
    onSaved: async (pixel) => showSaved(queryClient, pixel),
  })
}

/** As it is stored. */
export function toRow(form: PixelForm) {
  const { name, type, code, consent_category, is_active, auto_disable } = form
  return {
    name,
    type,
    pixel_id: type === 'custom' ? null : form.pixel_id,
    code,
    consent_category,
    conversion_labels: givenLabels(form.conversion_labels),
    is_active,
    auto_disable,
    runs_in: mayBeIsolated(type) ? form.runs_in : 'page',
    ...toTextColumns(form),
    ...toSendingColumns(form),
  }
}

function savePixel(
  data: Data,
  { form, opened, replaced }: SavePixel,
  versionOf: (opened: Pixel) => string,
  signal: AbortSignal,
): Promise<Pixel> {
  const row = toRow(form)
  const table = data.from('tracking_pixels')
  if (opened === null) return unwrap(table.insert(row).select().abortSignal(signal).single())
  return storeRow<Pixel>({
    update: () =>
      table
        .update(row)
        .eq('id', opened.id)
        .eq('updated_at', versionOf(replaced ?? opened))
        .select()
        .abortSignal(signal),
    read: () => table.select('*').eq('id', opened.id).abortSignal(signal),
    gone: PIXEL_GONE,
  })
}

/** Where a form starts: at what the person came to fix. */
export type FormStart = 'name' | 'code' | 'sending'
