import type { SiteInfo } from '#contract/site.ts'
import { FEES_PATH, type Fee } from '#contract/site-content.ts'
import {
  describeFee,
  FEE_FIELDS,
  formatCents,
  formatPercent,
  type Simulation,
  simulate,
} from '../content/fees.ts'
import { FACTS, REGISTER_LABEL } from '../content/page.ts'
import { FeeTable } from '../sections/facts.tsx'
import { PlainFooter, PlainHeader, RegisterLink, SpecialistLink } from '../sections/parts.tsx'

/** Table and simulator. A form that the server answers: no script runs where people type what they earn. */
export function FeesPage({ site, fees, query }: { site: SiteInfo; fees: readonly Fee[]; query: string }) {
  const simulation = simulate(fees, query)
  return (
    <>
      <PlainHeader className="dark plain" brandName={site.brandName} />
      <main className="wrap costs">
        <h1>{FACTS.fees.title}</h1>
        <p className="lead">{FACTS.fees.text}</p>
        <FeeTable fees={fees} />
        <section aria-labelledby="simulador">
          <h2 id="simulador">{FACTS.fees.simulator}</h2>
          <form action={`${FEES_PATH}#resultado`} method="get" noValidate>
            <Field name="volume" label="Vendas por mês (R$)" example="50.000" simulation={simulation} />
            <Field
              name="ticket"
              label="Valor médio de cada venda (R$)"
              example="49,90"
              simulation={simulation}
            />
            <div>
              <label htmlFor="f-method">Meio de pagamento</label>
              <select
                id="f-method"
                name={FEE_FIELDS.method}
                defaultValue={simulation.values.method || undefined}
              >
                {fees.map(({ method }) => (
                  <option key={method}>{method}</option>
                ))}
              </select>
              <FieldError name="method" simulation={simulation} />
            </div>
            <Field
              name="today"
              label="Taxa total que você paga hoje (%), se quiser comparar"
              example="4,99"
              simulation={simulation}
            />
            <button type="submit" className="btn solid">
              {FACTS.fees.simulate}
            </button>
          </form>
          <Result simulation={simulation} />
        </section>
        <div className="row">
          <RegisterLink site={site} label={REGISTER_LABEL} tone="solid" />
          <SpecialistLink site={site} />
        </div>
      </main>
      <PlainFooter site={site} />
    </>
  )
}

interface FieldProps {
  name: 'volume' | 'ticket' | 'today'
  label: string
  example: string
  simulation: Simulation
}

function Field({ name, label, example, simulation }: FieldProps) {
  const isBad = simulation.errors[name] !== undefined
  return (
    <div>
      <label htmlFor={`f-${name}`}>{label}</label>
      <input
        id={`f-${name}`}
        name={FEE_FIELDS[name]}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        maxLength={40}
        placeholder={example}
        defaultValue={simulation.values[name]}
        {...(isBad ? { 'aria-invalid': true, 'aria-describedby': `e-${name}` } : {})}
      />
      <FieldError name={name} simulation={simulation} />
    </div>
  )
}

function FieldError({ name, simulation }: { name: keyof Simulation['errors']; simulation: Simulation }) {
  const error = simulation.errors[name]
  return error === undefined ? null : (
    <p className="wrong" id={`e-${name}`}>
      {error}
    </p>
  )
}

function Result({ simulation: { result, errors } }: { simulation: Simulation }) {
  if (result === null)
    return Object.keys(errors).length === 0 ? null : (
      <p className="wrong" id="resultado">
        Confira os campos marcados.
      </p>
    )
  const { fee, volume, sales, cost, today } = result
  const count = new Intl.NumberFormat('pt-BR').format(sales)
  return (
    <div className="outcome dark" id="resultado">
      <dl>
        <div>
          <dt>Com a gente, por mês</dt>
          <dd>{formatCents(cost)}</dd>
        </div>
        {today !== null && (
          <>
            <div>
              <dt>Hoje, por mês</dt>
              <dd>{formatCents(today)}</dd>
            </div>
            <div>
              <dt>{today >= cost ? 'Economia por mês' : 'A mais por mês'}</dt>
              <dd>{formatCents(Math.abs(today - cost))}</dd>
            </div>
          </>
        )}
      </dl>
      <p>
        Conta: cerca de {count} {sales === 1 ? 'venda' : 'vendas'} em {fee.method}, a {describeFee(fee)} cada.{' '}
        No total, {formatPercent(cost / volume)} do que você vende. Para guardar ou enviar a simulação, copie
        o endereço desta página.
      </p>
    </div>
  )
}
