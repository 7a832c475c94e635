import type { IHookFunctions, IPollFunctions, IWebhookFunctions } from 'n8n-workflow';

import type { Field, Params } from './fieldKinds';
import { paramsReader, type ParamsContext } from './params';

type TriggerContext = IHookFunctions | IPollFunctions | IWebhookFunctions;

/**
 * Reads the values of a trigger's fields, as for a first item: a trigger has no items.
 *
 * @throws InputProblem that names the field and the expected value
 */
export function readTriggerParams<const F extends readonly Field[]>(
	context: TriggerContext,
	fields: F,
): Params<F> {
	const source = {
		getNodeParameter: (name: string, _item: number, ...others: [unknown?, object?]) =>
			context.getNodeParameter(name, ...others),
		getInputData: () => [],
	};
	return paramsReader(source as ParamsContext, fields)(0) as Params<F>;
}
