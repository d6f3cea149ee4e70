import fc from 'fast-check'

/** The same values in every run, so that a change and not chance makes a test fail. `PROPERTY_SEED` tries others. */
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED ?? 1) })
