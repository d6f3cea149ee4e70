// Needs a browser: the policy of the page decides where its form may post.
import { expect, onTestFinished, test } from 'vitest'
import { storeSummaryChoice, unsubscribeUrl } from '#server/alerts/summary.ts'
import { launchBrowser } from '../support/browser.ts'
import { startTestApp } from '../support/test-app.ts'

test('the link of the weekly summary asks, and its button ends the summary', async () => {
  const site = await startTestApp({ listen: true })
  onTestFinished(() => site.close())
  const browser = await launchBrowser()
  onTestFinished(() => browser.close())
  const { db } = site.database
  const { id } = await db.selectFrom('auth_users').select('id').executeTakeFirstOrThrow()
  await storeSummaryChoice(db, id, true)
  const choice = () => db.selectFrom('summary_choices').selectAll().executeTakeFirstOrThrow()
  const page = await browser.newPage()
  await page.goto(unsubscribeUrl(site.url, id, (await choice()).link_key))
  await page.getByRole('heading', { name: 'Parar de receber o resumo semanal?' }).waitFor()
  expect((await choice()).chosen_at).not.toBeNull()
  await page.getByRole('button', { name: 'Parar de receber' }).click()
  await page.getByRole('heading', { name: 'Pronto, você não recebe mais o resumo' }).waitFor()
  expect((await choice()).chosen_at).toBeNull()
})
