// Needs a browser: only Firefox hides its clock.
import { expect, onTestFinished } from 'vitest'
import { BY_TIMER, launchFirefox, testInFirefox } from '../support/firefox.ts'
import { insertPixel } from '../support/insert-pixel.ts'
import { startTestApp } from '../support/test-app.ts'
import { untilTags } from '../support/until-tags.ts'

testInFirefox('the page starts where Firefox hides its clock', async () => {
  const site = await startTestApp({ listen: true })
  onTestFinished(() => site.close())
  await insertPixel(site.database.db, { type: 'custom', code: '<script>window.ran = true</script>' })
  await untilTags(site.url)
  const browser = await launchFirefox({ preferences: { 'privacy.resistFingerprinting': true } })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(site.url)
  await page.waitForFunction(
    () => document.querySelector<HTMLElement>('.consent')?.hidden === false,
    BY_TIMER,
  )
  // It hides the zone: everybody is in Reykjavík. Whether it reports a first paint depends on its version.
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
  expect(zone).toBe('Atlantic/Reykjavik')
})
