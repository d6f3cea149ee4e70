import type { UseFormReturn } from 'react-hook-form'
import * as z from 'zod/mini'
import { FormField } from '#admin/components/form.tsx'
import { Input } from '#admin/components/inputs.tsx'
import { REASON_MAX_LENGTH } from '#contract/inventory.ts'
import { countCharacters, type Pixel } from '#contract/pixel.ts'
import type { PixelForm } from './schema.ts'

interface TextField {
  label: string
  hint: string
  placeholder: string
  maxLength: number
}

/** Optional texts of a pixel, under "Mais opções": another one is another row. Stored as null when left empty. */
const TEXT_FIELDS = {
  reason: {
    label: 'Motivo (opcional)',
    hint: 'Aparece no Inventário, com seu e-mail e a data.',
    placeholder: 'Ex.: medir as campanhas de verão',
    maxLength: REASON_MAX_LENGTH,
  },
} satisfies { [Column in keyof Pixel]?: TextField }

type TextColumn = keyof typeof TEXT_FIELDS

export const TEXT_COLUMNS = Object.keys(TEXT_FIELDS) as TextColumn[]

function mapColumns<Value>(make: (column: TextColumn) => Value): Record<TextColumn, Value> {
  return Object.fromEntries(TEXT_COLUMNS.map((column) => [column, make(column)])) as Record<TextColumn, Value>
}

export const upTo = (max: number) =>
  z.refine<string>((text) => countCharacters(text) <= max, `Use até ${max} caracteres.`)

/** Their part of the form's schema. */
export const textSchema = mapColumns((column) =>
  z.string().check(z.trim(), upTo(TEXT_FIELDS[column].maxLength)),
)

/** Their values when the form opens; null for a new pixel. */
export function toTextForm(pixel: Pixel | null): Record<TextColumn, string> {
  return mapColumns((column) => pixel?.[column] ?? '')
}

export function toTextColumns(form: Pick<PixelForm, TextColumn>): Record<TextColumn, string | null> {
  return mapColumns((column) => (form[column] === '' ? null : form[column]))
}

export function TextFields({ form }: { form: UseFormReturn<PixelForm> }) {
  return TEXT_COLUMNS.map((column) => {
    const { label, hint, placeholder } = TEXT_FIELDS[column]
    return (
      <FormField key={column} form={form} name={column} label={label} hint={hint}>
        {(control) => <Input placeholder={placeholder} autoComplete="off" {...control} />}
      </FormField>
    )
  })
}
