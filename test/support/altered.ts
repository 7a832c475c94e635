/** A context of n8n in which some things are other than today. All else works as ever. */
export function altered<Context extends object>(
	context: Context,
	others: Record<string, unknown>,
): Context {
	return new Proxy(context, {
		has: (target, name) => (name in others ? others[String(name)] !== undefined : name in target),
		get: (target, name) => {
			if (typeof name === 'string' && Object.hasOwn(others, name)) return others[name];
			const value = Reflect.get(target, name, target) as unknown;
			const isMethod = typeof value === 'function' && !Object.hasOwn(target, name);
			return isMethod ? (value.bind(target) as unknown) : value;
		},
	});
}
